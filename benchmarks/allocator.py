"""The state of glibc's allocator in which calls are timed.

Standard library only, from Python 3.8 on: `arrayspeed.own.inside` has a link to this file.
"""

from __future__ import annotations

import ctypes

#: Bytes of the largest block that glibc's allocator learns from: 32 MiB, with its own bookkeeping.
LARGEST_FREED = 2**25 - 2**16


def settle() -> None:
    """Bring glibc's allocator to the state that it has in any process that has freed a large array before.

    What it takes from the system and gives back anew with every call depends on the largest block that was ever freed
    (M_MMAP_THRESHOLD and M_TRIM_THRESHOLD in mallopt(3)). In a process that had freed none, NumPy's `n_body` of 100
    bodies took 3.4 ms with 1,111 page faults a call, and 1.0 ms without any after a free of 8 MB. Imports, inputs and
    other calls happen to free blocks of any size, so that releases and processes would differ by chance.
    """
    try:
        library = ctypes.CDLL(None)
        library.malloc.restype = ctypes.c_void_p
        library.malloc.argtypes = [ctypes.c_size_t]
        library.free.argtypes = [ctypes.c_void_p]
    except (OSError, AttributeError):  # no C library that is known
        return
    library.free(library.malloc(LARGEST_FREED))
