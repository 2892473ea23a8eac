"""A transform where glibc's allocator keeps what each call frees for the next one, and where it gives it back.

    arrayspeed compare kept given-back --file examples/allocator.py

In the first state are programs that have freed a large array before, and every process of arrayspeed. In the second one
the system provides each page of the result anew in every call.
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
    return (rng.standard_normal(size),)


def bench_kept(x):
    mallopt(MMAP, 2**25)
    mallopt(TRIM, 2**26)
    return np.fft.fft(x)


def bench_given_back(x):
    mallopt(MMAP, 2**17)
    mallopt(TRIM, 2**17)
    return np.fft.fft(x)
