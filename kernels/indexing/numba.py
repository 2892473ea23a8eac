"""Indexing in Numba: loops."""

import numpy as np
from numba import njit, prange

from kernels.elementwise.numba import GRAIN

#: Side of the blocks of a transpose: two of float64 fit in a first-level cache.
SIDE = 32


@njit(parallel=True)
def gather(x, places):
    """One place after the other, on threads where there are many."""
    out = np.empty(places.size, x.dtype)
    if places.size < GRAIN:
        for i in range(places.size):
            out[i] = x[places[i]]
    else:
        for i in prange(places.size):
            out[i] = x[places[i]]
    return out


@njit
def scatter_add(values, places):
    """One after the other: two threads could add at one place at a time."""
    out = np.zeros_like(values)
    for i in range(places.size):
        out[places[i]] += values[i]
    return out


@njit
def transpose_rows(x, out, first, last):
    """Fill some rows of the result, in blocks."""
    for left in range(0, x.shape[0], SIDE):
        for i in range(first, last):
            for j in range(left, min(left + SIDE, x.shape[0])):
                out[i, j] = x[j, i]


@njit(parallel=True)
def transpose(x):
    """In blocks of rows, on threads where there are many elements."""
    rows, columns = x.shape
    out = np.empty((columns, rows), x.dtype)
    blocks = (columns + SIDE - 1) // SIDE
    if x.size < GRAIN:
        for k in range(blocks):
            transpose_rows(x, out, k * SIDE, min((k + 1) * SIDE, columns))
    else:
        for k in prange(blocks):
            transpose_rows(x, out, k * SIDE, min((k + 1) * SIDE, columns))
    return out


@njit
def compress(x, mask, count):
    """One after the other."""
    out = np.empty(count, x.dtype)
    place = 0
    for i in range(x.size):
        if mask[i]:
            out[place] = x[i]
            place += 1
    return out
