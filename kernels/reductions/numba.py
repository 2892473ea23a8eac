"""Reductions in Numba: loops, on threads from the length at which these pay for themselves."""

from math import exp, log

import numpy as np
from numba import get_num_threads, njit, prange

from kernels.elementwise.numba import GRAIN
from kernels.reductions import BINS, HIGH, LOW


@njit
def part(x, start, stop):
    """Sum of some elements, in float64 and eight sums at once: a compiler may not reorder additions by itself."""
    a, b, c, d, e, f, g, h = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    whole = start + (stop - start) // 8 * 8
    for i in range(start, whole, 8):
        a += x[i]
        b += x[i + 1]
        c += x[i + 2]
        d += x[i + 3]
        e += x[i + 4]
        f += x[i + 5]
        g += x[i + 6]
        h += x[i + 7]
    for i in range(whole, stop):
        a += x[i]
    return a + b + c + d + e + f + g + h


@njit(parallel=True)
def sum(x):
    """Of all elements; an array without dimensions, as Numba would hand out a float64 in place of a float32."""
    out = np.empty((), x.dtype)
    if x.size < GRAIN:
        out[()] = part(x, 0, x.size)
    else:
        threads = get_num_threads()
        parts = np.empty(threads)
        for k in prange(threads):
            parts[k] = part(x, k * x.size // threads, (k + 1) * x.size // threads)
        out[()] = parts.sum()
    return out


@njit
def add_rows(x, first, last, out):
    """Add some rows, each from left to right: downwards every step would be to another line of the cache."""
    for i in range(first, last):
        for j in range(out.size):
            out[j] += x[i, j]


@njit(parallel=True)
def sum_columns(x):
    """Of each column, in float64."""
    rows, columns = x.shape
    if x.size < GRAIN:
        total = np.zeros(columns)
        add_rows(x, 0, rows, total)
        return total.astype(x.dtype)
    threads = get_num_threads()
    parts = np.zeros((threads, columns))
    for k in prange(threads):
        add_rows(x, k * rows // threads, (k + 1) * rows // threads, parts[k])
    return parts.sum(0).astype(x.dtype)


@njit
def argmax(x):
    """Return the index of the largest element."""
    out = np.empty((), np.int64)
    place = 0
    for i in range(x.size):
        if x[i] > x[place]:
            place = i
    out[()] = place
    return out


@njit
def cumulative_sum(x):
    """Return the running sum, in float64."""
    out = np.empty_like(x)
    total = 0.0
    for i in range(x.size):
        total += x[i]
        out[i] = total
    return out


@njit
def exponentials(x, largest, start, stop):
    """Sum of some exponentials, shifted."""
    total = 0.0
    for i in range(start, stop):
        total += exp(x[i] - largest)
    return total


@njit(parallel=True)
def logsumexp(x):
    """Two passes, no temporaries."""
    out = np.empty((), x.dtype)
    largest = x.max()
    if x.size < GRAIN:
        total = exponentials(x, largest, 0, x.size)
    else:
        threads = get_num_threads()
        parts = np.empty(threads)
        for k in prange(threads):
            parts[k] = exponentials(x, largest, k * x.size // threads, (k + 1) * x.size // threads)
        total = parts.sum()
    out[()] = largest + log(total)
    return out


@njit
def count(x, start, stop, out):
    """Count some elements."""
    scale = BINS / (HIGH - LOW)
    for i in range(start, stop):
        out[int((x[i] - LOW) * scale)] += 1


@njit(parallel=True)
def histogram(x):
    """Return counts, each thread with its own."""
    if x.size < GRAIN:
        out = np.zeros(BINS, np.int64)
        count(x, 0, x.size, out)
        return out
    threads = get_num_threads()
    parts = np.zeros((threads, BINS), np.int64)
    for k in prange(threads):
        count(x, k * x.size // threads, (k + 1) * x.size // threads, parts[k])
    return parts.sum(0)
