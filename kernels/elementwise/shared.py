"""Elementwise kernels, as all libraries but Numba write them."""


def add(a, b):
    """a + b."""
    return a + b


def multiply(a, b):
    """a · b."""
    return a * b


def sine(a):
    """sin(a)."""
    return xp.sin(a)


def elementwise(a, b):
    """a + b, a · b, sin(a)."""
    return a + b, a * b, xp.sin(a)
