"""The machine that measures, as an asv plugin: its name is made from its hardware.

asv names a machine after its host and asks questions the first time. Hosts change and are copied; results of
different hardware under one name are wrong. So the name is the processor, the number of cores that may be used,
and the accelerator, found anew each time, and nothing is kept outside the repository. Where processors are threads that
share cores, where they are of two kinds, and where a container's quota leaves less than all of them, that is in the
name too; elsewhere names are as they were before that was looked at, and keep their results.
"""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
from dataclasses import dataclass

from asv import util
from asv.machine import Machine

from arrayspeed.environments import accelerator
from arrayspeed.system import cpuinfo, topology
from arrayspeed.system.processes import affinity
from arrayspeed.system.quota import quota
from kernels.backends.hardware import cores

#: Where Linux describes its processors.
CPUINFO = "/proc/cpuinfo"


def cpu_fields() -> dict[str, str]:
    """Return what /proc/cpuinfo says of the first core; empty where there is no such file."""
    return next(iter(cpuinfo.processors(cpuinfo.text_of(CPUINFO))), {})


@dataclass(frozen=True)
class Shares:
    """What the processors that may be used share, or have too little of.

    Attributes
    ----------
    physical
        On how many cores they are, where that is fewer: several are threads of one. None elsewhere.
    kinds
        How many are performance cores, and efficiency cores; None where all are alike.
    quota
        The cores that a container may use, where that is fewer than it sees; None elsewhere.
    """

    physical: int | None = None
    kinds: tuple[int, int] | None = None
    quota: float | None = None

    @property
    def parts(self) -> list[str]:
        """What of it is in the machine's name; quotas have four digits there."""
        found = [f"{self.physical}core"] if self.physical else []
        found += [f"{self.kinds[0]}p-{self.kinds[1]}e"] if self.kinds else []
        return found + ([f"quota{self.quota:.4g}"] if self.quota else [])

    @property
    def fields(self) -> dict[str, str]:
        """What of it is in the machine's description."""
        return ({"physical_cores": str(self.physical)} if self.physical else {}) | (
            {"cpu_quota": f"{self.quota:.4g}"} if self.quota else {}
        )


def shares() -> Shares:
    """Return what the processors of this machine share."""
    allowed = affinity()
    physical, limit = topology.physical_cores(allowed), quota()
    return Shares(
        physical if physical and physical < len(allowed) else None,
        topology.kinds(allowed),
        limit if limit and limit < len(allowed) else None,
    )


def cpu_name() -> str:
    """Return what the processors are called; "" where nothing tells."""
    found = cpuinfo.described(
        cpuinfo.text_of(CPUINFO), affinity(), cpuinfo.text_of(cpuinfo.BOARD), cpuinfo.text_of(cpuinfo.MAKER)
    )
    if not found and platform.system() == "Darwin":
        found = cpuinfo.sysctl("machdep.cpu.brand_string")
    return found or util.get_cpu_info() or platform.processor()


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


def machine_name(cpu: str, fields: dict[str, str], n: int, accelerator: str, shared: Shares = Shares()) -> str:
    """``amd-epyc-f25m17-2cpu``: hypervisors often hide the model behind a family name, so its numbers are in it."""
    model = f"f{fields['cpu family']}m{fields['model']}" if {"cpu family", "model"} <= fields.keys() else ""
    parts = [slug(cpu) or slug(platform.machine()), model, f"{n}cpu", *shared.parts, slug(accelerator)]
    return "-".join(part for part in parts if part)


def describe() -> dict[str, str]:
    """Return the fields of asv's machine.json for this machine.

    Memory is in GiB and the kernel's version in two numbers: asv draws machines that differ in any field as
    different series.
    """
    fields = cpu_fields()
    cpu, shared = cpu_name(), shares()
    system, _, release, *_ = platform.uname()
    card = gpu()
    memory = util.get_memsize()
    return {
        "machine": machine_name(cpu, fields, cores(), card.get("gpu", ""), shared),
        "os": f"{system} {'.'.join(release.split('.')[:2])}",
        "arch": platform.machine(),
        "cpu": cpu,
        "num_cpu": str(cores()),
        "ram": f"{round(memory / 2**30)} GiB" if memory else "",
        **shared.fields,
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
