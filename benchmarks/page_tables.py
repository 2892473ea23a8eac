"""What a fork forgets: which pages of mapped files the process has in its page tables.

A fork copies the tables' entries of memory that the process wrote, and leaves those of files, a library's code and
constants, to be entered again when the new process meets them. Reading and running enter a page. A masked load whose
mask is zero there does not: vectorised logarithms do that with a table of constants, and each of their calls then takes
a slow path of the processor, for ever (docs/lab/2026-11-processes.md). A process that imported the library itself has
these pages, since Linux enters the neighbours of each page that is met.
"""

from __future__ import annotations

import ctypes
import os
import re
from contextlib import suppress

#: madvise(2): enter all pages of a range, as reading each would; Linux 5.14 and later.
MADV_POPULATE_READ = 22

#: What the system tells of a page, eight bytes each (pagemap of Linux's administration guide); of the last of these,
#: bit 7 is set where it is in the tables, and bit 5 where it belongs to a file.
ENTRY, RUN_OF_FILE = 8, re.compile(rb"[\xa0-\xbf\xe0-\xff]+")

#: A line of /proc/self/maps: a readable range that belongs to a file.
OF_FILE = re.compile(r"([0-9a-f]+)-([0-9a-f]+) r\S* \S+ \S+ [1-9]")

PAGE = os.sysconf("SC_PAGESIZE") if hasattr(os, "sysconf") else 4096


def entered() -> list[tuple[int, int]]:
    """Return address and bytes of each run of pages of files that this process has entered; none where the system does
    not tell.
    """
    runs = []
    with suppress(OSError), open("/proc/self/maps") as maps, open("/proc/self/pagemap", "rb", buffering=0) as pages:
        for line in maps:
            if not (match := OF_FILE.match(line)):
                continue
            start, end = (int(each, 16) for each in match.groups())
            told = os.pread(pages.fileno(), (end - start) // PAGE * ENTRY, start // PAGE * ENTRY)
            for run in RUN_OF_FILE.finditer(told[ENTRY - 1 :: ENTRY]):
                runs.append((start + run.start() * PAGE, len(run[0]) * PAGE))
    return runs


def enter(runs: list[tuple[int, int]]) -> None:
    """Enter all pages of these runs; what is no longer there stays away."""
    with suppress(AttributeError, OSError):  # not Linux
        advise = ctypes.CDLL(None).madvise
        advise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
        for address, size in runs:
            advise(address, size, MADV_POPULATE_READ)


def hand_on() -> None:
    """Have each process that this one forks from now on begin with the pages of files that this one has entered."""
    runs = entered()

    def begin() -> None:
        enter(runs)
        runs.clear()  # what a measured process forks in its turn is no business of ours

    os.register_at_fork(after_in_child=begin)
