"""Contracting two-level systems of a quantum register with tensordot, complex64: many axes of length two.

Issue:    https://github.com/numpy/numpy/issues/27260
Versions: numpy 1.26.4 -> 2.0.2
Reported: almost 100x (on Windows; fewer BLAS threads mend it)
Old:      numpy==1.26.4
New:      numpy==2.0.2
Kind:     steady
Control:  not reproduced on two cores (reported on Windows)
"""

import numpy as np

sizes = (10, 16)  # qubits


def inputs(rng, size):
    state = (rng.standard_normal(2**size) + 1j * rng.standard_normal(2**size)).astype(np.complex64)
    gate = (rng.standard_normal((2, 2, 2, 2)) + 0j).astype(np.complex64)
    return state.reshape((2,) * size), gate


def bench_tensordot(state, gate):
    last = state.ndim - 1
    for i in range(0, last, 3):
        state = np.tensordot(state, gate, ((i, i + 1), (0, 1)))
    return state


def bench_small_gate(state, gate):
    return np.tensordot(gate, gate, ((2, 3), (0, 1)))
