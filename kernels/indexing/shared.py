"""Indexing, as most libraries write it."""


def compress(x, mask, count):
    """Return the elements whose mask is true; eager code finds out how many these are."""
    return x[mask]
