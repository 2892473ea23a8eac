"""Random numbers in NumPy: a Generator, whose state each call moves on."""

import numpy as np


def normal(generator, n, dtype):
    """Return standard normal numbers."""
    return generator.standard_normal(n, dtype)


def normal_arguments(adapter, seed):
    """Return a generator."""
    return (np.random.default_rng(int(seed)),)
