"""Two functions of NumPy, each at two sizes."""

# /// script
# dependencies = ["numpy"]
# ///
import numpy as np

sizes = (100, 10_000)


def inputs(rng, size):
    return (rng.standard_normal(size),)


def bench_sort(x):
    return np.sort(x)


def bench_moving_mean(x):
    return np.lib.stride_tricks.sliding_window_view(x, 10).mean(axis=1)
