"""The processors of this machine, and what to call them.

Intel and AMD write a processor's name into it. Arm's cores tell who made them and which they are, as numbers: several
machines have the same cores, so what else the system tells of the machine is in the name too.
"""

from __future__ import annotations

import re
import subprocess
import tomllib
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

#: Where the board's name is, and who made the machine, on systems with a device tree and with DMI; sysfs has both.
BOARD = Path("/proc/device-tree/model")
MAKER = Path("/sys/class/dmi/id/sys_vendor")

#: Fields of other architectures that name a processor: PowerPC, RISC-V, LoongArch.
NAMES = ("model name", "Model Name", "cpu", "uarch", "cpu model")


def text_of(path: str | Path) -> str:
    """Return what a file of the system says, without what ends it; "" where there is no such file."""
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace").strip("\0\n ")
    except OSError:
        return ""


def processors(text: str) -> list[dict[str, str]]:
    """Return the fields of each processor in /proc/cpuinfo, and last those of what follows them."""
    blocks = [block for block in text.split("\n\n") if block.strip()]
    return [
        {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in block.splitlines())}
        for block in blocks
    ]


@lru_cache(None)
def arm() -> dict[str, dict[str, str]]:
    """Return Arm's implementers: number -> their name, and part -> its name."""
    return tomllib.loads(files(__package__).joinpath("arm.toml").read_text(encoding="utf-8"))


def number(text: str) -> str:
    """Return a number of cpuinfo as the table has it: ``0xd0c``."""
    value = int(text, 16) if re.fullmatch("0x[0-9a-fA-F]+", text) else None
    return text if value is None else (f"0x{value:02x}" if value < 0x100 else f"0x{value:03x}")


def core_of(fields: Mapping[str, str]) -> str:
    """Return the name of one of Arm's cores with its revision, ``Neoverse-N1 r3p1``; by numbers where it is unknown."""
    implementer, part = number(fields["CPU implementer"]), f"0x{int(fields['CPU part'], 16):03x}"
    known: Mapping[str, Any] = arm().get(implementer, {})
    name = known.get(part) or f"{known.get('name', f'implementer {implementer}')} part {part}"
    variant, revision = fields.get("CPU variant"), fields.get("CPU revision")
    if variant is None or revision is None:
        return name
    return f"{name} r{int(variant, 16)}p{revision}"


def is_arm(fields: Mapping[str, str]) -> bool:
    """Return whether a processor is one that tells its numbers and no name."""
    return {"CPU implementer", "CPU part"} <= fields.keys() and all(
        re.fullmatch("(0x)?[0-9a-fA-F]+", fields[key]) for key in ("CPU implementer", "CPU part")
    )


def arm_name(every: Sequence[Mapping[str, str]], allowed: Collection[int] | None, board: str, maker: str) -> str:
    """Return what tells one of Arm's machines from others.

    Its cores, those with most first, and how many of each where they differ: of those that may be used. Then the board,
    as far as there is one, or else the timer's frequency in MHz, which differs between machines with the same cores
    (64-bit kernels show twice that as BogoMIPS), and who made the machine.
    """
    cores = [one for one in every if is_arm(one)]
    mine = [one for one in cores if allowed is None or not one.get("processor", "").isdigit()]
    mine += [one for one in cores if allowed is not None and int(one.get("processor", "-1") or -1) in allowed]
    kinds = Counter(core_of(one) for one in mine or cores)
    if len(kinds) == 1:
        found = [next(iter(kinds))]
    else:
        found = [f"{count}x {name}" for name, count in sorted(kinds.items(), key=lambda each: (-each[1], each[0]))]
    if board:
        return " ".join([board, *found])
    timer = cores[0].get("BogoMIPS", "") if cores[0].get("CPU architecture") == "8" else ""
    return " ".join([*found, f"t{float(timer) / 2:.0f}" if re.fullmatch(r"[0-9.]+", timer) else "", maker]).strip()


def described(text: str, allowed: Collection[int] | None = None, board: str = "", maker: str = "") -> str:
    """Return the name of the processors that /proc/cpuinfo describes; "" where it has none.

    ``allowed``: the numbers of those that may be used, None for all; ``board``, ``maker``: of the machine.
    """
    every = processors(text)
    if not every:
        return ""
    if any(map(is_arm, every)):
        board = board or next((one["Model"] for one in every if "Model" in one), "")
        return arm_name(every, allowed, board, maker)
    return next((every[0][key] for key in NAMES if every[0].get(key)), "")


def sysctl(key: str) -> str:
    """Return what macOS says; "" where there is no such thing."""
    try:
        done = subprocess.run(["sysctl", "-n", key], capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip()
