"""A loop compiled by Numba; the first call compiles it."""

# /// script
# dependencies = ["numba", "numpy"]
# ///
import numba

sizes = (1_000,)


def inputs(rng, size):
    return (rng.standard_normal(size),)


@numba.njit
def longest_rise(x):
    best = run = 0
    for i in range(1, len(x)):
        run = run + 1 if x[i] > x[i - 1] else 0
        best = max(best, run)
    return best


def bench_longest_rise(x):
    return longest_rise(x)
