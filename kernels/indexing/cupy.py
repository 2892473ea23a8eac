"""Indexing in CuPy."""

import cupy as cp

from kernels.shared import bind

shared = bind(__name__, cp)

compress = shared.compress


def gather(x, places):
    """Take."""
    return cp.take(x, places)


def scatter_add(values, places):
    """Add every value, also where a place comes again."""
    out = cp.zeros_like(values)
    cp.add.at(out, places, values)
    return out


def transpose(x):
    """Return a copy; x.T alone is a view."""
    return cp.ascontiguousarray(x.T)
