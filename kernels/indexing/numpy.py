"""Indexing in NumPy."""

import numpy as np

from kernels.shared import bind

shared = bind(__name__, np)

compress = shared.compress


def gather(x, places):
    """Take, which is faster than x[places]."""
    return np.take(x, places)


def scatter_add(values, places):
    """Add every value, also where a place comes again; bincount would count in float64."""
    out = np.zeros_like(values)
    np.add.at(out, places, values)
    return out


def transpose(x):
    """Return a copy; x.T alone is a view."""
    return np.ascontiguousarray(x.T)
