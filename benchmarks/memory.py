"""Memory that one call adds, apart from what the process holds already."""

from __future__ import annotations

import ctypes
import gc
import re
from contextlib import suppress

from kernels import NotAvailable


def status(field: str) -> int:
    """Bytes of a field of /proc/self/status."""
    with open("/proc/self/status") as lines:
        return int(re.search(rf"^{field}:\s+(\d+) kB", lines.read(), re.MULTILINE)[1]) * 1024


def reset_peak() -> None:
    """Make the process's present memory its peak (proc(5): 5 into clear_refs).

    Raises
    ------
    NotAvailable
        The system has no such file, or does not let us write to it.
    """
    try:
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
    except OSError as error:
        raise NotAvailable(f"the peak of a process cannot be reset on this system: {error}") from error


def return_free_memory() -> None:
    """Give the allocator's free memory back, so that a call that takes it again is seen to take it."""
    gc.collect()
    with suppress(AttributeError, OSError):  # not glibc
        ctypes.CDLL(None).malloc_trim(0)


def added_by_call(prepared) -> int:
    """Bytes that one call adds at its peak: of the device's allocator where it counts them, else of the process.

    The call is made once before, so that compilation and lazy initialisation do not count. That result is kept:
    TensorFlow keeps the memory of results that are dropped, and would take it again unseen.
    """
    kept = prepared.check()
    adapter = prepared.adapter
    gc.collect()
    adapter.reset_peak_memory()
    before = adapter.peak_memory()
    if before is not None:
        prepared.call()
        added = adapter.peak_memory() - before
        del kept
        return added
    return_free_memory()
    reset_peak()
    before = status("VmRSS")
    prepared.call()
    added = max(0, status("VmHWM") - before)
    del kept
    return added
