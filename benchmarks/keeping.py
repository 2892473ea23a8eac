"""Bytes that every call keeps: a leak.

Two figures tell, of the same windows of calls. The first is counted: the bytes that the allocators have handed out
(glibc's arenas, CPython's small blocks), which is exact, and sees neither what a library's own allocator takes nor what
is mapped, nor holes between blocks. The second is by how much the process's own resident memory grows a call, whoever
took it. It moves by pages and by chance, so it comes with what it may be wrong by.

Standard library only, from Python 3.8 on: `arrayspeed.own.worker` has a link to this file.
"""

import ctypes
import gc
import os
import re
import sys
import tempfile
from array import array
from collections import namedtuple
from time import perf_counter, sleep

#: Windows of calls, of which the first is not counted: caches fill.
WINDOWS = 5

#: Seconds of calls in a window, the most calls, and the fewest where calls are no longer than five windows.
WINDOW, MOST_CALLS, FEWEST_CALLS = 0.02, 200, 4

#: Bytes a call that are nothing. Where it seems to be more, windows of ever more calls follow, for so many seconds:
#: what CPython and libraries keep for later calls may take many calls to fill, and looks like a leak until then.
NOTHING, FURTHER = 64, 2.0

#: Bytes of resident memory a call that are nothing: a page now and then.
NO_GROWTH = 512

#: Bytes a call within which growth must be known to be a figure.
TOO_ROUGH = 2**12

#: Bytes after whose growth no further windows follow: it is a leak, or what fills is so large that it is as bad.
MOST_GROWTH = 2**28

#: Groups of readings of the resident memory, the fewest readings in a further window, the seconds of calls between two,
#: and the most readings.
GROUPS, FEWEST_READINGS, BETWEEN, ROOM = 5, 10, 0.01, 4096

#: Seconds between two readings, and the most readings: a library's other threads free what the last calls returned,
#: on a busy machine late, and nothing is counted before two readings are alike.
SETTLING, MOST_READINGS = 0.005, 100

#: Calls longer than this, in seconds, are not repeated to see what they keep.
LONGEST = 1.0

#: What is resident of the process alone. Clean pages are left out: those of files become shared and private as other
#: processes come and go, and those that an allocator gave back stay until the system wants them (MADV_FREE).
OWN = re.compile(rb"^(?:Private_Dirty|Swap): +(\d+) kB$", re.MULTILINE)

#: Bytes that every call keeps by the allocators' count; bytes by which resident memory grows a call, and those that it
#: may be wrong by. None where it is not known.
Kept = namedtuple("Kept", ["counted", "grown", "within"])


def libc():
    """Return the C library, with what is used of it declared; None where it is another one than glibc."""
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
    """Bytes that the C library's allocator has handed out, in all arenas; None where it does not say."""
    if library is None:
        return None
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


def resident():
    """Bytes that are resident, or swapped out, of this process alone; None where the system does not say.

    The counters in ``statm`` are cheaper, and by design up to some MB off on machines of many cores. They are read
    where nothing else is there.
    """
    try:
        with open("/proc/self/smaps_rollup", "rb", buffering=0) as file:
            sizes = OWN.findall(file.read(4096))
        if sizes:
            return sum(map(int, sizes)) * 1024
    except OSError:
        pass
    try:
        with open("/proc/self/statm", "rb", buffering=0) as file:
            _, every, shared, *_ = map(int, file.read(256).split())
    except (OSError, ValueError):
        return None
    return (every - shared) * os.sysconf("SC_PAGE_SIZE")


class Readings:
    """Readings of the resident memory, and the number of calls made before each.

    Their room is taken beforehand: a list that grows would be counted as kept by the calls.
    """

    def __init__(self):
        self.calls, self.bytes = (array("q", bytes(8 * ROOM)) for _ in range(2))
        self.number = 0
        self.known = True

    def take(self, calls):
        """Read, after so many calls."""
        held = resident()
        self.known = self.known and held is not None
        if self.known and self.number < ROOM:
            self.calls[self.number], self.bytes[self.number] = calls, held
            self.number += 1

    def growth(self, start):
        """Bytes by which the memory grows a call, and those that this may be wrong by, of the readings from so many
        calls on; None and None where they are too few.

        In groups of readings, one after the other, the smallest counts: what is taken and given back moves the others.
        The growth is the median from group to group. Where it is not above 0 from every one to the next, nothing
        is shown, and it may be as much as the most between two; else as much as these differ.
        """
        first = next((place for place in range(self.number) if self.calls[place] >= start), self.number)
        first = max(0, min(first, self.number - GROUPS))
        number = self.number - first
        if not self.known or number < GROUPS:
            return None, None
        edges = [first + number * place // GROUPS for place in range(GROUPS + 1)]
        floors = [min(self.bytes[edges[place] : edges[place + 1]]) for place in range(GROUPS)]
        calls = [self.calls[place] for place in edges[:-1]]
        slopes = sorted(
            (floors[place] - floors[place - 1]) / (calls[place] - calls[place - 1]) for place in range(1, GROUPS)
        )
        middle = (slopes[(GROUPS - 2) // 2] + slopes[(GROUPS - 1) // 2]) / 2
        return max(0.0, middle), slopes[-1] - slopes[0] if slopes[0] > 0 else max(0.0, slopes[-1])

    @property
    def span(self):
        """Bytes between the first reading and the last."""
        return self.bytes[self.number - 1] - self.bytes[0] if self.number else 0


def seconds_of(call):
    """Seconds of one call."""
    start = perf_counter()
    call()
    return perf_counter() - start


def settled(read):
    """Return what ``read()`` gives twice in a row; None where it gives None."""
    held = read()
    for _ in range(MOST_READINGS):
        sleep(SETTLING)
        before, held = held, read()
        if held is None or held == before:
            break
    return held


def kept_by(call, each):
    """Bytes that every call keeps: a `Kept`.

    Counted is the least of several windows of calls: what grows now and then, or ever less, is a cache. Resident memory
    is looked at in the later half of the calls, for the same reason.

    ``each``: seconds of a call, roughly. All None where calls are too long.
    """
    if each > LONGEST:
        return Kept(None, None, None)
    library = libc()
    each = min(each, seconds_of(call), seconds_of(call))  # one alone may have waited for a busy machine
    number = max(1 if each > WINDOW * 5 else FEWEST_CALLS, min(MOST_CALLS, int(WINDOW / max(each, 1e-9))))
    readings = Readings()
    before, least, begun, made, start = None, None, None, 0, number
    counts = library is not None
    gc.collect()
    if library is not None:
        library.malloc_trim(0)  # what leaks into memory that was free before would not make the process grow
    gc.freeze()  # so that the collections below look at nothing but what the calls made
    try:
        for place, calls in enumerate(windows(number)):
            if place >= WINDOWS:
                begun = begun or perf_counter()
                left = FURTHER - (perf_counter() - begun)
                calls = min(calls, int(left / max(each, 1e-9)))
                if calls < number or readings.span > MOST_GROWTH or not more(counts, least, readings.growth(start)):
                    break
            step = between(calls, each, place >= WINDOWS)
            last = made + calls
            while made < last:
                for _ in range(min(step, last - made)):
                    call()
                made = min(made + step, last)
                if made < last:
                    readings.take(made)
            gc.collect()
            held = settled(lambda: handed_out(library))
            readings.take(made)
            counts = held is not None
            if counts:
                held += small_blocks()
                if before is not None:
                    grown = (held - before) / calls
                    least = grown if least is None else min(least, grown)
                before = held
            if place >= WINDOWS:
                start = number + (made - number) // 2
    finally:
        gc.unfreeze()
    return Kept(max(0.0, least) if counts else None, *readings.growth(start))


def kept_of(holder):
    """Return what ``holder.call`` keeps, found once: whoever asks for one figure, and then for the other, gets both
    from the same calls.
    """
    call, kept = getattr(holder, "kept", (None, None))
    if call is not holder.call:
        holder.call()
        kept = kept_by(holder.call, seconds_of(holder.call))
        holder.kept = holder.call, kept
    return kept


def more(counts, least, growth):
    """Return whether more calls are needed to tell: something seems to be kept, or resident memory may grow."""
    grown, within = growth
    return (counts and least > NOTHING) or (grown is not None and max(grown, within) > NO_GROWTH)


def between(calls, each, further):
    """Return the calls between two readings of the resident memory in a window of so many.

    A call that is longer than a reading is followed by one. In a further window there are several, however short calls
    are: only the last windows may count.
    """
    some = max(1, int(BETWEEN / max(each, 1e-9)))
    return min(some, calls // FEWEST_READINGS or 1) if further else min(some, calls)


def windows(number):
    """Yield the calls of each window: some of so many, then twice as many each, without end."""
    for _ in range(WINDOWS):
        yield number
    while True:
        number *= 2
        yield number
