"""Elementwise kernels in CuPy."""

import cupy as cp


def add(a, b):
    """a + b."""
    return a + b


def multiply(a, b):
    """a · b."""
    return a * b


def sine(a):
    """sin(a)."""
    return cp.sin(a)


def elementwise(a, b):
    """a + b, a · b, sin(a)."""
    return a + b, a * b, cp.sin(a)
