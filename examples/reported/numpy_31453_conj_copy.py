"""ndarray.conj() of real arrays: NumPy 2.4.5 goes through the ufunc, copies, and turns bool into int8.

Issue:    https://github.com/numpy/numpy/issues/31452 and pull request 31453
Versions: numpy 2.4.4 -> 2.4.5 (-> 2.4.6)
Reported: every conj() of a real array copies where it returned the array itself; bool becomes int8
Old:      numpy==2.4.4
New:      numpy==2.4.5
Fixed:    numpy==2.4.6
Kind:     steady,result
"""

import numpy as np

sizes = (1_000, 1_000_000)


def inputs(rng, size):
    values = rng.standard_normal(size)
    return values, values > 0


def bench_conj_float(values, flags):
    return values.conj()


def bench_conj_bool(values, flags):
    # Result: bool before and after, int8 in 2.4.5.
    return flags.conj()


def bench_norms(values, flags):
    # norm along an axis multiplies by conj(): ours, not in the report; a smaller ratio.
    return np.linalg.norm(values.reshape(-1, 10), axis=1)


def bench_cov(values, flags):
    # cov multiplies X by X.T.conj(), a symmetric product only as long as nothing is copied: ours too.
    return np.cov(values.reshape(50, -1))
