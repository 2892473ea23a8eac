"""Non-negative least squares: rewritten in Python, then in C.

Issue:    https://github.com/scipy/scipy/issues/22884
Versions: scipy 1.11.4 -> 1.15.2 (-> 1.16.0)
Reported: 10x to 15x (7.9 us -> 115 us; 0.4 s -> 4 s)
Old:      scipy==1.11.4 numpy==1.26.4
New:      scipy==1.15.2 numpy==1.26.4
Fixed:    scipy==1.16.0 numpy==1.26.4
Kind:     steady
"""

import numpy as np
from scipy.optimize import nnls

sizes = (5, 100)


def inputs(rng, size):
    a = np.abs(rng.standard_normal((3 * size, size)))
    return a, a @ np.maximum(rng.standard_normal(size), 0) + 0.01 * rng.standard_normal(3 * size)


def bench_nnls(a, b):
    return nnls(a, b)[0]
