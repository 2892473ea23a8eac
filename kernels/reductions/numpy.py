"""Reductions in NumPy."""

import numpy as np

from kernels.late import Late
from kernels.reductions import BINS, HIGH, LOW
from kernels.shared import bind

shared = bind(__name__, np)

sum = shared.sum
sum_columns = shared.sum_columns
argmax = shared.argmax
cumulative_sum = shared.cumulative_sum
logsumexp = Late("scipy.special", "logsumexp")


def histogram(x):
    """Return counts; NumPy makes the bins' edges too, and they are dropped."""
    return np.histogram(x, BINS, (LOW, HIGH))[0]
