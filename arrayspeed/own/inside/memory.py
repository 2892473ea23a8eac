"""Memory of a process: what it held at its peak, and what calls keep.

What calls keep is counted in bytes that the allocators have handed out (glibc's arenas, CPython's small blocks), which
is exact; the resident size moves by pages and by chance.
"""

from __future__ import annotations

import ctypes
import gc
import os
import re
import sys
import tempfile
from time import sleep

#: Windows of calls, of which the first is not counted: caches fill.
WINDOWS = 5

#: Seconds of calls in a window, the most calls, and the fewest where calls are no longer than five windows.
WINDOW, MOST_CALLS, FEWEST_CALLS = 0.02, 200, 4

#: Bytes of the largest block that glibc's allocator learns from: 32 MiB, with its own bookkeeping.
LARGEST_FREED = 2**25 - 2**16

#: Seconds for a library's other threads to free what the call before returned.
SETTLING = 0.005

#: Calls longer than this, in seconds, are not repeated to see what they keep.
LONGEST = 1.0


def status(key):
    """A figure of /proc in bytes; None where it is not there."""
    try:
        with open("/proc/self/status") as file:
            for line in file:
                if line.startswith(key + ":"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return None


def reset_peak():
    """Let the peak begin anew; False where the system does not allow it."""
    try:
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
        return True
    except OSError:
        return False


def libc():
    """The C library, with what is used of it declared; None where it is another one than glibc."""
    try:
        found = ctypes.CDLL(None)
        found.open_memstream.restype = ctypes.c_void_p
        found.fclose.argtypes = [ctypes.c_void_p]
        found.malloc_info.argtypes = [ctypes.c_int, ctypes.c_void_p]
        found.free.argtypes = [ctypes.c_void_p]
        found.malloc_trim.argtypes = [ctypes.c_size_t]
    except (OSError, AttributeError):
        return None
    return found


def settle():
    """Bring glibc's allocator to the state that it has in any process that has freed a large array before.

    What it takes from the system and gives back anew with every call depends on the largest block that was ever freed.
    A histogram of 100,000 numbers took 0.8 ms or 2 to 4 ms, by what the process had happened to free before it.
    """
    library = libc()
    if library is not None:
        library.malloc.restype = ctypes.c_void_p
        library.malloc.argtypes = [ctypes.c_size_t]
        library.free(library.malloc(LARGEST_FREED))


def peak_of(call):
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


def handed_out(library):
    """Bytes that the C library's allocator has handed out, in all arenas."""
    text, size = ctypes.c_char_p(), ctypes.c_size_t()
    stream = library.open_memstream(ctypes.byref(text), ctypes.byref(size))
    if not stream:
        return None
    library.malloc_info(0, stream)
    library.fclose(stream)
    totals = ctypes.string_at(text, size.value).rpartition(b"</heap>")[2].decode()
    library.free(text)
    found = dict(re.findall(r'<(?:total|system) type="(\w+)"(?: count="\d+")? size="(\d+)"', totals))
    try:
        return int(found["current"]) + int(found.get("mmap", 0)) - int(found["fast"]) - int(found["rest"])
    except KeyError:
        return None


def small_blocks():
    """Bytes of CPython's small blocks in use."""
    report = getattr(sys, "_debugmallocstats", None)
    if report is None:
        return 0
    with tempfile.TemporaryFile() as sink:
        saved = os.dup(2)
        os.dup2(sink.fileno(), 2)
        try:
            report()
        finally:
            os.dup2(saved, 2)
            os.close(saved)
        sink.seek(0)
        text = sink.read().decode("ascii", "replace")
    rows = re.findall(r"^ *\d+ +(\d+) +\d+ +(\d+) +\d+ *$", text, re.MULTILINE)
    return sum(int(size) * int(count) for size, count in rows)


def kept_by(call, each):
    """Bytes that every call keeps, the least of several windows of calls: what grows now and then is a cache.

    ``each``: seconds of a call, roughly. None where calls are too long, or the allocator is not known.
    """
    library = libc()
    if library is None or each > LONGEST:
        return None
    number = max(1 if each > WINDOW * 5 else FEWEST_CALLS, min(MOST_CALLS, int(WINDOW / max(each, 1e-9))))
    gc.collect()
    gc.freeze()  # so that the collections below look at nothing but what the calls made
    try:
        found = []
        for _ in range(WINDOWS):
            for _ in range(number):
                call()
            gc.collect()
            sleep(SETTLING)
            held = handed_out(library)
            if held is None:
                return None
            found.append(held + small_blocks())
    finally:
        gc.unfreeze()
    return max(0.0, min(after - before for before, after in pairs(found)) / number)


def pairs(values):
    """Neighbours."""
    return [(values[n], values[n + 1]) for n in range(len(values) - 1)]
