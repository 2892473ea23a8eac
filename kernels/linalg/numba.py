"""Linear algebra in Numba, which calls SciPy's BLAS."""

from numba import njit


@njit
def matmul(a, b):
    """A · B."""
    return a @ b


@njit
def matmul_transposed(x):
    """x · xᵀ."""
    return x @ x.T
