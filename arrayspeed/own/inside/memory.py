"""Memory of a process: what it held at its peak."""

from __future__ import annotations

import ctypes
import gc
from time import sleep

from .keeping import SETTLING, libc

TYPE_CHECKING = False  # type checkers take it as true
if TYPE_CHECKING:
    from collections.abc import Callable

#: Bytes of the largest block that glibc's allocator learns from: 32 MiB, with its own bookkeeping.
LARGEST_FREED = 2**25 - 2**16


def status(key: str) -> int | None:
    """A figure of /proc in bytes; None where it is not there."""
    try:
        with open("/proc/self/status") as file:
            for line in file:
                if line.startswith(key + ":"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return None


def reset_peak() -> bool:
    """Let the peak begin anew; False where the system does not allow it."""
    try:
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
        return True
    except OSError:
        return False


def settle() -> None:
    """Bring glibc's allocator to the state that it has in any process that has freed a large array before.

    What it takes from the system and gives back anew with every call depends on the largest block that was ever freed.
    A histogram of 100,000 numbers took 0.8 ms or 2 to 4 ms, by what the process had happened to free before it.
    """
    library = libc()
    if library is not None:
        library.malloc.restype = ctypes.c_void_p
        library.malloc.argtypes = [ctypes.c_size_t]
        library.free(library.malloc(LARGEST_FREED))


def peak_of(call: Callable[[], object]) -> int | None:
    """Bytes that a call takes at its peak on top of what the process holds before; None where that is not known."""
    gc.collect()
    sleep(SETTLING)
    library = libc()
    if library is not None:
        library.malloc_trim(0)  # what was freed and kept for later would hide what the call takes
    if not reset_peak():
        call()
        return None
    before = status("VmRSS")
    call()
    peak = status("VmHWM")
    return None if before is None or peak is None else max(0, peak - before)
