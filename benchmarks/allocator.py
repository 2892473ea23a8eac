"""The two states of glibc's allocator: as the system sets it up, and as after a large block was freed.

Standard library only, from Python 3.8 on: `arrayspeed.own.worker` has a link to this file.
"""

from __future__ import annotations

import ctypes

#: Parameters of mallopt(3), with their numbers in malloc.h, and their values in bytes in a process that has freed the
#: largest block from which glibc learns: 32 MiB, and twice as much.
LEARNT = {"M_MMAP_THRESHOLD": (-3, 2**25), "M_TRIM_THRESHOLD": (-1, 2**26)}

#: Powers of 2 between which the first threshold lies: it begins at 128 KiB.
LEAST, MOST = 17, 25

#: In the size that stands before a block: it comes from the system by mmap; and the bits that are no size.
MAPPED, FLAGS = 2, 7


def retain() -> bool:
    """Have glibc retain freed memory, as in a process that has freed a block of 32 MiB; False of another C library.

    Blocks above M_MMAP_THRESHOLD come from the system at each call, and free memory above M_TRIM_THRESHOLD at the end
    of the heap goes back to it. Both grow with the largest block that the process has ever freed (mallopt(3)), so that
    what else a program does decides whether a call takes page faults: NumPy's `mlp_training_step` of 32 takes 1.8 ms
    with 770 page faults a call in a script that does nothing else, and 0.45 ms without any where memory is retained.

    This cannot be undone in a process. The thresholds are set, because freeing a block is not enough: where free memory
    in the heap has room for it, it does not come from the system, and nothing is learnt.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):
        return False
    done = [mallopt(parameter, value) for parameter, value in LEARNT.values()]
    return all(done)


def learnt() -> int:
    """Bytes, a power of two, from which blocks come from the system by mmap; 0 of another C library.

    It is above 2**17 where the process has freed a larger block, and too large where free memory in the heap has room
    for the blocks that are tried. What is tried is unmapped and not freed: glibc would learn from that.
    """
    try:
        library = ctypes.CDLL(None)
        library.mallopt  # noqa: B018  # glibc's
        library.malloc.restype = ctypes.c_void_p
        library.malloc.argtypes = [ctypes.c_size_t]
        library.free.argtypes = [ctypes.c_void_p]
        library.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    except (OSError, AttributeError):
        return 0
    word = ctypes.sizeof(ctypes.c_size_t)
    for power in range(LEAST, MOST + 1):
        block = library.malloc(1 << power)
        if not block:
            break
        size = ctypes.c_size_t.from_address(block - word).value
        if size & MAPPED:
            library.munmap(block - 2 * word, size & ~FLAGS)
            return 1 << power
        library.free(block)
    return 1 << MOST + 1
