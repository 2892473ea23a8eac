"""Elementwise kernels in NumPy."""

import numpy as np


def add(a, b):
    """a + b."""
    return a + b


def multiply(a, b):
    """a · b."""
    return a * b


def sine(a):
    """sin(a)."""
    return np.sin(a)


def elementwise(a, b):
    """a + b, a · b, sin(a)."""
    return a + b, a * b, np.sin(a)
