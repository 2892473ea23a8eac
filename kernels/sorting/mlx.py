"""Sorting in MLX."""

import mlx.core as mx

from kernels.shared import bind

shared = bind(__name__, mx)

sort = shared.sort
argsort = shared.argsort
argsort_sorted = shared.argsort_sorted
searchsorted = shared.searchsorted


def top_k(x, k):
    """Part the k largest from the rest, and sort only these: mx.topk says nothing of their places."""
    largest = mx.argpartition(x, x.size - k)[x.size - k :]
    places = largest[mx.argsort(-x[largest])]
    return x[places], places
