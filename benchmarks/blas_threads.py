"""OpenBLAS's threads in a forked process.

It ends its threads before a fork and starts them again in the first call that shares work, which then takes 1 to 24 ms
in place of 0.4. A process that imports NumPy itself has them from then on, asleep: they look for work for 0.1 s,
and while they do, whatever changes the process's memory has to interrupt them.
"""

from __future__ import annotations

import ctypes
import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial

#: Its functions' names: those of the wheels of NumPy and SciPy, and its own, with integers of 64 and of 32 bits.
NAMES = (
    "scipy_openblas_{}_num_threads64_",
    "scipy_openblas_{}_num_threads",
    "openblas_{}_num_threads64_",
    "openblas_{}_num_threads",
)

#: Seconds after which nobody waits for the threads any longer.
LONGEST = 0.2


def loaded() -> list[str]:
    """Return the paths of the OpenBLAS libraries that this process has loaded."""
    with suppress(OSError), open("/proc/self/maps") as maps:
        return sorted({f"/{path}" for line in maps if "openblas" in (path := line.rstrip("\n").partition("/")[2])})
    return []


def starting(path: str | None) -> Callable[[], None] | None:
    """Return what sets a library's number of threads to what it is, which starts those that are missing; None where it
    has no such function.
    """
    library = ctypes.CDLL(path)
    for name in NAMES:
        number, set_number = (getattr(library, name.format(verb), None) for verb in ("get", "set"))
        if number and set_number:
            return partial(set_number, number())
    return None


def any_other_runs() -> bool:
    """Return whether a thread of this process other than the caller's is running or waits for a core."""
    for task in os.listdir("/proc/self/task"):
        with suppress(OSError), open(f"/proc/self/task/{task}/stat") as file:  # it may have ended
            if int(task) != threading.get_native_id() and file.read().rpartition(") ")[2].startswith("R"):
                return True
    return False


def hand_on() -> None:
    """Have each process that this one forks from now on begin with the threads of OpenBLAS, where it is loaded."""
    starts: list[Callable[[], None] | None] = []
    for path in loaded():
        with suppress(OSError):  # its file is gone
            starts.append(starting(path))

    def begin() -> None:
        for start in filter(None, starts):
            start()
        starts.clear()
        deadline = time.monotonic() + LONGEST
        while any_other_runs() and time.monotonic() < deadline:
            time.sleep(0.001)

    os.register_at_fork(after_in_child=begin)
