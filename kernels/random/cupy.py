"""Random numbers in CuPy: a Generator, whose state each call moves on."""

import cupy as cp


def normal(generator, n, dtype):
    """Standard normal numbers."""
    return generator.standard_normal(n, dtype)


def normal_arguments(adapter, seed):
    """A generator."""
    return (cp.random.default_rng(int(seed)),)
