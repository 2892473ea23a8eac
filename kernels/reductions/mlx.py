"""Reductions in MLX."""

import mlx.core as mx

from kernels.reductions import BINS, HIGH, LOW
from kernels.shared import bind

shared = bind(__name__, mx)

sum = shared.sum
sum_columns = shared.sum_columns
argmax = shared.argmax
cumulative_sum = shared.cumulative_sum
logsumexp = mx.logsumexp


def histogram(x):
    """Return counts, each element's bin increased by one: MLX has no histogram."""
    bins = ((x - LOW) * (BINS / (HIGH - LOW))).astype(mx.int32)
    return mx.zeros(BINS, mx.int32).at[bins].add(1)
