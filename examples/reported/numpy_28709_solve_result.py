"""A stack of systems with a two-dimensional right side: another result since NumPy 2 (b is a matrix, not vectors).

Issue:    https://github.com/numpy/numpy/issues/28709
Versions: numpy 1.26.4 -> 2.0.2
Reported: another shape and other values
Old:      numpy==1.26.4
New:      numpy==2.0.2
Kind:     result
Kernels:  small_solves
"""

import numpy as np

sizes = (2,)


def inputs(rng, size):
    return np.arange(1.0, 4.0 * size + 1).reshape(size, 2, 2), np.arange(1.0, 2.0 * size + 1).reshape(size, 2)


def bench_solve(a, b):
    return np.linalg.solve(a, b)
