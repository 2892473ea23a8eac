"""A transform in float32 that frees more than 64 MiB at the end of the heap, which glibc gives back, or keeps.

    arrayspeed compare kept given-back --file examples/allocator_float32.py

At 64 MiB, glibc gives memory back in programs that have freed a large array before, and in every process of arrayspeed.
"""

# /// script
# dependencies = ["numpy"]
# ///
import ctypes

import numpy as np

sizes = (1_000_000,)

#: M_MMAP_THRESHOLD and M_TRIM_THRESHOLD of mallopt(3), as numbers of malloc.h.
MMAP, TRIM = -3, -1

mallopt = ctypes.CDLL(None).mallopt


def inputs(rng, size):
    return (rng.standard_normal(size).astype(np.float32),)


def bench_kept(x):
    mallopt(MMAP, 2**25)
    mallopt(TRIM, 2**28)
    return np.fft.fft(x)


def bench_given_back(x):
    mallopt(MMAP, 2**25)
    mallopt(TRIM, 2**26)
    return np.fft.fft(x)
