"""argsort of integers of few distinct values, and of an array that is sorted already (AVX2).

Only the sorted input is slower, on AMD EPYCs with AVX2 alone and not on one with AVX-512; random values of few
kinds became faster, unlike in the report.

Issue:    https://github.com/numpy/numpy/issues/28714 (the same in numbers: the table of pull request 25610)
Versions: numpy 1.26.4 -> 2.0.2
Reported: 3.6x (444 us -> 1.59 ms), 4x for sorted input
Old:      numpy==1.26.4
New:      numpy==2.0.2
Kind:     steady
Kernels:  argsort_sorted
"""

import numpy as np

sizes = (10_000, 100_000)


def inputs(rng, size):
    values = rng.integers(0, 1000, size)
    return values, np.sort(values)


def bench_argsort_few_values(values, ordered):
    return values.argsort()


def bench_argsort_sorted(values, ordered):
    return ordered.argsort()
