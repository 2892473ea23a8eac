"""Sorting in CuPy."""

import cupy as cp

from kernels.shared import bind

shared = bind(__name__, cp)

sort = shared.sort
argsort = shared.argsort
argsort_sorted = shared.argsort_sorted
lexsort = shared.lexsort
searchsorted = shared.searchsorted


def top_k(x, k):
    """Part the k largest from the rest, and sort only these."""
    largest = cp.argpartition(x, x.size - k)[x.size - k :]
    places = largest[cp.argsort(x[largest])[::-1]]
    return x[places], places
