"""What a process can find out about itself: its memory, its page faults, its children.

Standard library only, from Python 3.8 on: `arrayspeed.own.worker` has a link to this file, and runs where nothing else
is. Whatever a system lacks is None here.
"""

from __future__ import annotations

import os

try:
    import resource
except ImportError:  # no POSIX
    resource = None  # type: ignore[assignment]


def status(key: str) -> int | None:
    """Return a figure of /proc/self/status in bytes; None where it is not there."""
    try:
        with open("/proc/self/status") as file:
            for line in file:
                if line.startswith(key + ":"):
                    return int(line.split()[1]) * 1024
    except (OSError, ValueError):
        pass
    return None


def reset_peak() -> bool:
    """Let the peak of this process's memory begin anew; False where the system does not allow it (proc(5))."""
    try:
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
        return True
    except OSError:
        return False


def page_faults() -> int | None:
    """Pages of memory that the system has given this process so far, without reading them from a disk; None where they
    are not counted.
    """
    return None if resource is None else resource.getrusage(resource.RUSAGE_SELF).ru_minflt


def children() -> bool:
    """Return whether this process has any child; False where the system does not say."""
    try:
        with open(f"/proc/self/task/{os.getpid()}/children") as file:
            return bool(file.read().strip())
    except OSError:
        return False
