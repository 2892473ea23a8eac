"""Bytes that every call keeps: a leak.

Counted are the bytes that the allocators have handed out (glibc's arenas, CPython's small blocks), which is exact; the
resident size moves by pages and by chance.

Standard library only, from Python 3.8 on: `arrayspeed.own.inside` has a link to this file.
"""

import ctypes
import gc
import os
import re
import sys
import tempfile
from time import perf_counter, sleep

#: Windows of calls, of which the first is not counted: caches fill.
WINDOWS = 5

#: Seconds of calls in a window, the most calls, and the fewest where calls are no longer than five windows.
WINDOW, MOST_CALLS, FEWEST_CALLS = 0.02, 200, 4

#: Bytes a call that are nothing. Where it seems to be more, windows of ever more calls follow, for so many seconds:
#: what CPython and libraries keep for later calls may take hundreds of calls to fill, and looks like a leak until then.
NOTHING, FURTHER = 64, 2.0

#: Seconds between two readings, and the most readings: a library's other threads free what the last calls returned,
#: on a busy machine late, and nothing is counted before two readings are alike.
SETTLING, MOST_READINGS = 0.005, 100

#: Calls longer than this, in seconds, are not repeated to see what they keep.
LONGEST = 1.0


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


def seconds_of(call):
    """Seconds of one call."""
    start = perf_counter()
    call()
    return perf_counter() - start


def settled(read):
    """What ``read()`` gives twice in a row; None where it gives None."""
    held = read()
    for _ in range(MOST_READINGS):
        sleep(SETTLING)
        before, held = held, read()
        if held is None or held == before:
            break
    return held


def kept_by(call, each):
    """Bytes that every call keeps, the least of several windows of calls: what grows now and then, or ever less, is a
    cache.

    ``each``: seconds of a call, roughly. None where calls are too long, or the allocator is not known.
    """
    library = libc()
    if library is None or each > LONGEST:
        return None
    each = min(each, seconds_of(call), seconds_of(call))  # one alone may have waited for a busy machine
    number = max(1 if each > WINDOW * 5 else FEWEST_CALLS, min(MOST_CALLS, int(WINDOW / max(each, 1e-9))))
    gc.collect()
    gc.freeze()  # so that the collections below look at nothing but what the calls made
    try:
        before, least, begun = None, None, None
        for calls in windows(number):
            if calls > number:
                begun = begun or perf_counter()
                if least <= NOTHING or perf_counter() - begun + calls * each > FURTHER:
                    break
            for _ in range(calls):
                call()
            gc.collect()
            held = settled(lambda: handed_out(library))
            if held is None:
                return None
            held += small_blocks()
            if before is not None:
                grown = (held - before) / calls
                least = grown if least is None else min(least, grown)
            before = held
    finally:
        gc.unfreeze()
    return max(0.0, least)


def windows(number):
    """Calls of each window: some of so many, then twice as many each, as far as a window may have them."""
    yield from [number] * WINDOWS
    while number < MOST_CALLS:
        number = min(2 * number, MOST_CALLS)
        yield number
