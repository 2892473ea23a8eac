"""Random numbers in Numba: NumPy's Generator, drawn from in compiled code."""

import numpy as np
from numba import njit

from kernels.random.numpy import normal_arguments

__all__ = ["normal", "normal_arguments"]


@njit
def draw(generator, n, dtype):
    """Return standard normal numbers."""
    return generator.standard_normal(n, dtype)


def normal(generator, n, dtype):
    """Return standard normal numbers; compiled code takes a precision as a type, not by its name."""
    return draw(generator, n, getattr(np, dtype))
