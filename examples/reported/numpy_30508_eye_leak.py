"""Memory that writing through a flat iterator does not give back: np.eye and np.roots.

Issue:    https://github.com/numpy/numpy/issues/30508 and 30547
Versions: numpy 2.3.5 -> 2.4.0 (withdrawn) (-> 2.4.2)
Reported: 2.6 kB lost with every call (110,544 bytes in 42 calls)
Old:      numpy==2.3.5
New:      numpy==2.4.0
Fixed:    numpy==2.4.2
Kind:     memory
Kernels:  diagonal_shift
"""

import numpy as np

sizes = (100,)  # calls


def inputs(rng, size):
    return (size, rng.standard_normal(4))


def bench_eye(count, terms):
    for _ in range(count):
        matrix = np.eye(10, dtype=complex)
    return matrix


def bench_roots(count, terms):
    for _ in range(count):
        roots = np.roots(terms)
    return roots
