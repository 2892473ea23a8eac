"""np.searchsorted of one value in a tight loop, compiled by Numba.

Issue:    https://github.com/numba/numba/issues/9441
Versions: numba 0.58.1 -> 0.59.0 (-> 0.59.1)
Reported: 5x (2.9 s -> 14.6 s)
Old:      numba==0.58.1 numpy==1.26.4
New:      numba==0.59.0 numpy==1.26.4
Fixed:    numba==0.59.1 numpy==1.26.4
Kind:     steady,first
Kernels:  searchsorted
"""

import numba
import numpy as np

sizes = (1_000, 10_000)


def inputs(rng, size):
    table = np.sort(rng.uniform(0, 1000, size)).astype(np.float32)
    return table, rng.uniform(0, 1000, size).astype(np.float32)


@numba.njit(fastmath=True)
def positions(table, wanted):
    total = 0
    half = len(table) // 2
    for value in wanted:
        total += np.searchsorted(table[:half], value)
        total += np.searchsorted(table[half:], value)
    return total


def bench_searchsorted(table, wanted):
    return positions(table, wanted)
