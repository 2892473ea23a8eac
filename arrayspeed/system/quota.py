"""How many cores a container may use: a quota of CPU time, which no mask of cores shows.

A container with a quota of 1.5 cores runs on all cores of its host, and is stopped when it has used its share of a
tenth of a second. Libraries start a thread for each core that they see.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

#: Where Linux tells which groups this process is in, and where they are.
GROUPS, MOUNTS = "proc/self/cgroup", "proc/self/mountinfo"


def quota(root: str | Path = "/") -> float | None:
    """Return the cores that the quotas of this process's groups leave, the least of all; None where there is none.

    Control groups of version 2 have it in cpu.max, those of version 1 in cpu.cfs_quota_us. ``root``: of the files.
    """
    found = [value for folder in folders(Path(root)) if (value := of_folder(folder)) is not None]
    return min(found, default=None)


def folders(root: Path) -> Iterator[Path]:
    """Yield the folders of this process's groups that can have a quota, and of all groups above."""
    mounts = list(mounts_of(root))
    for line in lines(root / GROUPS):
        _, controllers, path = [*line.split(":", 2), "", ""][:3]
        for place, kind, options, within in mounts:
            second = kind == "cgroup2" and not controllers
            if not second and not (kind == "cgroup" and "cpu" in controllers.split(",") and "cpu" in options):
                continue
            # In a container the mount may begin at its own group, and the path with that.
            inner = Path(path).relative_to(within) if Path(path).is_relative_to(within) else Path()
            group = place / inner.as_posix().lstrip("/")
            yield group
            yield from (each for each in group.parents if each.is_relative_to(place))


def mounts_of(root: Path) -> Iterator[tuple[Path, str, list[str], str]]:
    """Yield where groups are: folder, kind, options and the group at which it begins (proc_pid_mountinfo(5))."""
    for line in lines(root / MOUNTS):
        left, _, right = line.partition(" - ")
        with suppress(ValueError, IndexError):
            _, _, _, within, place, *_ = left.split()
            kind, _, options = right.split()[:3]
            if kind in ("cgroup", "cgroup2"):
                yield root / unescaped(place).lstrip("/"), kind, options.split(","), unescaped(within)


def unescaped(text: str) -> str:
    """Return a path as it is: mountinfo has spaces and the like in octal."""
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), text)


def of_folder(folder: Path) -> float | None:
    """Return the cores of one group's quota; None where it has none."""
    with suppress(ValueError, OSError):
        limit, period = (folder / "cpu.max").read_text().split()
        return None if limit == "max" else int(limit) / int(period)
    with suppress(ValueError, OSError):
        micro = int((folder / "cpu.cfs_quota_us").read_text())
        return None if micro <= 0 else micro / int((folder / "cpu.cfs_period_us").read_text())
    return None


def throttled(root: str | Path = "/") -> int | None:
    """Return how often the quota has stopped this process's group so far; None where that is not counted."""
    for folder in folders(Path(root)):
        for line in lines(folder / "cpu.stat"):
            name, _, value = line.partition(" ")
            if name == "nr_throttled" and of_folder(folder) is not None:
                return int(value)
    return None


def lines(path: Path) -> list[str]:
    """Return the lines of a file; none where there is no such file."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
