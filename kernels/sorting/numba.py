"""Sorting in Numba."""

import numpy as np
from numba import njit, prange

from kernels.elementwise.numba import GRAIN


@njit
def sort(x):
    """Ascending."""
    return np.sort(x)


@njit
def argsort(x):
    """Return the order in which elements ascend."""
    return np.argsort(x)


@njit
def argsort_sorted(x):
    """Return the same, compiled on its own."""
    return np.argsort(x)


@njit
def sift(x, heap, root, size):
    """Move a place down a heap whose root is that of the smallest element."""
    place = heap[root]
    while True:
        child = 2 * root + 1
        if child >= size:
            break
        if child + 1 < size and x[heap[child + 1]] < x[heap[child]]:
            child += 1
        if x[place] <= x[heap[child]]:
            break
        heap[root] = heap[child]
        root = child
    heap[root] = place


@njit
def top_k(x, k):
    """Return a heap of the k largest so far; emptied, it gives them from its end on."""
    places = np.arange(k)
    for root in range(k // 2 - 1, -1, -1):
        sift(x, places, root, k)
    for i in range(k, x.size):
        if x[i] > x[places[0]]:
            places[0] = i
            sift(x, places, 0, k)
    for last in range(k - 1, 0, -1):
        places[0], places[last] = places[last], places[0]
        sift(x, places, 0, last)
    return x[places], places


@njit
def lexsort(keys):
    """Return a stable sort by each key in turn, the last one last."""
    places = np.argsort(keys[0], kind="mergesort")
    for i in range(1, keys.shape[0]):
        places = places[np.argsort(keys[i][places], kind="mergesort")]
    return places


@njit(parallel=True)
def searchsorted(table, queries):
    """Return a binary search each, on threads where they are many."""
    out = np.empty(queries.size, np.int64)
    if queries.size < GRAIN:
        for i in range(queries.size):
            out[i] = np.searchsorted(table, queries[i])
    else:
        for i in prange(queries.size):
            out[i] = np.searchsorted(table, queries[i])
    return out
