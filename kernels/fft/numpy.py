"""Fourier transforms in NumPy."""

import numpy as np


def fft(x):
    """All coefficients of a real vector."""
    return np.fft.fft(x)
