"""A transform where glibc's allocator keeps what each call frees for the next one, and where it gives it back.

    arrayspeed compare kept given-back --file examples/allocator.py
    arrayspeed compare kept-float32 given-back-float32 --file examples/allocator.py

In float64, `kept` is the state of programs that have freed a large array before. In float32, that is
`given-back-float32`: there, a call frees more at the end of the heap than the 64 MiB that glibc keeps. What it has
given back, the system provides anew in the next call, page by page.
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


def limits(mmap, trim):
    mallopt(MMAP, mmap)
    mallopt(TRIM, trim)


def inputs(rng, size):
    x = rng.standard_normal(size)
    return x, x.astype(np.float32)


def bench_kept(x, single):
    limits(2**25, 2**26)
    return np.fft.fft(x)


def bench_given_back(x, single):
    limits(2**17, 2**17)
    return np.fft.fft(x)


def bench_kept_float32(x, single):
    limits(2**25, 2**28)
    return np.fft.fft(single)


def bench_given_back_float32(x, single):
    limits(2**25, 2**26)
    return np.fft.fft(single)
