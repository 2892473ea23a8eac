"""The state of glibc's allocator in which calls are timed.

Standard library only, from Python 3.8 on: `arrayspeed.own.inside` has a link to this file.
"""

from __future__ import annotations

import ctypes

#: Parameters of mallopt(3), with their numbers in malloc.h, and the bytes that they are in a process that has freed the
#: largest block that glibc learns from: 32 MiB, and twice as much.
LEARNT = {"M_MMAP_THRESHOLD": (-3, 2**25), "M_TRIM_THRESHOLD": (-1, 2**26)}


def settle() -> None:
    """Bring glibc's allocator to the state that it has in any process that has freed a large array before.

    What it takes from the system and gives back anew with every call depends on the largest block that was ever freed
    (M_MMAP_THRESHOLD and M_TRIM_THRESHOLD in mallopt(3)). In a process that had freed none, NumPy's `n_body` of 100
    bodies took 3.4 ms with 1,111 page faults a call, and 1.0 ms without any after a free of 8 MB. Imports, inputs and
    other calls happen to free blocks of any size, so that releases and processes would differ by chance.

    The thresholds are set, because to free a block is not enough: where memory that was freed before has room for it,
    it does not come from the system, and nothing is learnt.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):  # no C library that is known
        return
    for parameter, value in LEARNT.values():
        mallopt(parameter, value)
