"""Random numbers in CuPy: a Generator, whose state each call moves on."""

import cupy as cp


def normal(generator, n, dtype):
    """Return standard normal numbers."""
    return generator.standard_normal(n, dtype)


def normal_arguments(adapter, seed):
    """Return a generator."""
    return (cp.random.default_rng(int(seed)),)
