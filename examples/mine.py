"""Three functions of NumPy, each at two sizes: the example of README.md."""

# /// script
# dependencies = ["numpy"]
# ///
import numpy as np

sizes = (100, 1000)


def inputs(rng, size):
    return rng.random((size, size)), rng.random(size)


def bench_solve(a, b):
    return np.linalg.solve(a, b)


def bench_smooth(a, b):
    return np.convolve(b, np.ones(9) / 9, "same")


def bench_sort(a, b):
    return np.sort(a, axis=1)
