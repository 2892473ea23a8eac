"""Random numbers in NumPy: a Generator, whose state each call moves on."""

import numpy as np


def normal(generator, n, dtype):
    """Standard normal numbers."""
    return generator.standard_normal(n, dtype)


def normal_arguments(adapter, seed):
    """A generator."""
    return (np.random.default_rng(int(seed)),)
