"""Sorting in Numba."""

import numpy as np
from numba import njit


@njit
def sort(x):
    """Ascending."""
    return np.sort(x)
