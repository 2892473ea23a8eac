"""Reductions in CuPy."""

import cupy as cp

from kernels.reductions import BINS, HIGH, LOW
from kernels.shared import bind

shared = bind(__name__, cp)

sum = shared.sum
sum_columns = shared.sum_columns
argmax = shared.argmax
cumulative_sum = shared.cumulative_sum
#: Older releases have no function of this name.
logsumexp = shared.logsumexp


def histogram(x):
    """Return counts; CuPy makes the bins' edges too, and they are dropped."""
    return cp.histogram(x, BINS, (LOW, HIGH))[0]
