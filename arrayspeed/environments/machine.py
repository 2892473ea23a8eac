"""The machine that measures, as an asv plugin: its name is made from its hardware.

asv names a machine after its host and asks questions the first time. Hosts change and are copied; results of
different hardware under one name are wrong. So the name is the processor, the number of cores that may be used,
and the accelerator, found anew each time, and nothing is kept outside the repository.
"""

from __future__ import annotations

import platform
import re
import shutil
import subprocess

from asv import util
from asv.machine import Machine

from arrayspeed.environments import accelerator
from kernels.backends.hardware import cores


def cpu_fields() -> dict[str, str]:
    """Return what /proc/cpuinfo says of the first core; empty where there is no such file."""
    try:
        with open("/proc/cpuinfo") as lines:
            first = lines.read().split("\n\n")[0]
    except OSError:
        return {}
    return {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in first.splitlines())}


def gpu() -> dict[str, str]:
    """Name, driver and the driver's CUDA version of the first NVIDIA GPU, empty where there is none."""
    if not shutil.which("nvidia-smi"):
        return {}
    query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader", "--id=0"]
    try:
        answer = subprocess.run(query, capture_output=True, text=True, timeout=30, check=True).stdout
        name, driver = answer.strip().split(", ")
    except (OSError, ValueError, subprocess.SubprocessError):
        return {}
    found = accelerator.find()
    return {"gpu": name, "gpu_driver": driver} | ({"gpu_cuda": found.cuda} if found else {})


def slug(text: str) -> str:
    """Lower case, digits and single hyphens, without the marks that processors' names are full of."""
    text = re.sub(r"\((r|tm)\)|\bcpu\b|\bprocessor\b|@.*", "", text, flags=re.IGNORECASE)
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def machine_name(cpu: str, fields: dict[str, str], n: int, accelerator: str) -> str:
    """``amd-epyc-f25m17-2cpu``: hypervisors often hide the model behind a family name, so its numbers are in it."""
    model = f"f{fields['cpu family']}m{fields['model']}" if {"cpu family", "model"} <= fields.keys() else ""
    parts = [slug(cpu) or slug(platform.machine()), model, f"{n}cpu", slug(accelerator)]
    return "-".join(part for part in parts if part)


def describe() -> dict[str, str]:
    """Return the fields of asv's machine.json for this machine.

    Memory is in GiB and the kernel's version in two numbers: asv draws machines that differ in any field as
    different series.
    """
    fields = cpu_fields()
    cpu = fields.get("model name") or util.get_cpu_info() or platform.processor()
    system, _, release, *_ = platform.uname()
    card = gpu()
    memory = util.get_memsize()
    return {
        "machine": machine_name(cpu, fields, cores(), card.get("gpu", "")),
        "os": f"{system} {'.'.join(release.split('.')[:2])}",
        "arch": platform.machine(),
        "cpu": cpu,
        "num_cpu": str(cores()),
        "ram": f"{round(memory / 2**30)} GiB" if memory else "",
        **card,
    }


def load(
    cls: type[Machine],
    /,
    interactive: bool = False,
    force_interactive: bool = False,
    _path: str | None = None,
    machine_name: str | None = None,
    use_defaults: bool = False,
    **kwargs: str,
) -> Machine:
    """Stands in for ``asv.machine.Machine.load``: describes instead of asking; ``--machine`` names it otherwise."""
    machine = cls()
    machine.__dict__.update(describe() | kwargs)
    if machine_name:
        machine.machine = machine_name
    return machine


def setup() -> None:
    """asv calls this when it loads the plugin."""
    Machine.load = classmethod(load)
    Machine.hardcoded_machine_name = describe()["machine"]
