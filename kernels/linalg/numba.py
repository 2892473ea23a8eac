"""Linear algebra in Numba, which calls SciPy's BLAS."""

from numba import njit


@njit
def matmul(a, b):
    """A · B."""
    return a @ b
