"""Which of the processors that may be used share a core, which kinds they are, and on how many NUMA nodes they lie."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

from arrayspeed.system.cpuinfo import text_of

#: Where Linux describes its processors.
DEVICES = Path("/sys/devices")


def numbers(text: str) -> set[int]:
    """Return the numbers of a list such as ``0-3,8``; none of what is no such list."""
    found: set[int] = set()
    for part in text.split(","):
        if match := re.fullmatch(r"\s*(\d+)(?:-(\d+))?\s*", part):
            found |= set(range(int(match[1]), int(match[2] or match[1]) + 1))
    return found


def physical_cores(allowed: Collection[int], devices: Path = DEVICES) -> int | None:
    """Return on how many cores so many processors are: fewer where several are threads of one; None where unknown."""
    siblings = {
        frozenset(numbers(text_of(devices / f"system/cpu/cpu{one}/topology/thread_siblings_list")) or {-1})
        for one in allowed
    }
    return None if frozenset({-1}) in siblings or not siblings else len(siblings)


def kinds(allowed: Collection[int], devices: Path = DEVICES) -> tuple[int, int] | None:
    """Return how many of some processors are performance cores and efficiency cores; None where all are alike."""
    fast, slow = (numbers(text_of(devices / name / "cpus")) for name in ("cpu_core", "cpu_atom"))
    return (len(fast & set(allowed)), len(slow & set(allowed))) if fast and slow else None


def nodes(allowed: Collection[int], devices: Path = DEVICES) -> int | None:
    """Return on how many NUMA nodes so many processors are; None where the system does not say."""
    every = [numbers(text_of(path)) for path in sorted((devices / "system/node").glob("node*/cpulist"))]
    return sum(bool(node & set(allowed)) for node in every) if every else None
