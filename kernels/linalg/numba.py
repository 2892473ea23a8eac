"""Linear algebra in Numba, which calls SciPy's BLAS and LAPACK."""

import numpy as np
from numba import njit, prange

from kernels.elementwise.numba import GRAIN


@njit
def matmul(a, b):
    """Return a · B."""
    return a @ b


@njit
def matmul_transposed(x):
    """x · xᵀ."""
    return x @ x.T


@njit
def matvec(a, x):
    """Return a · x."""
    return np.dot(a, x)


@njit(parallel=True)
def batched_matmul(a, b):
    """Return a · B of each pair, on threads; Numba's product takes two matrices."""
    out = np.empty_like(a)
    for i in prange(a.shape[0]):
        np.dot(a[i], b[i], out[i])
    return out


@njit
def diagonal_shift(a):
    """Return a + I/2, of which only the diagonal differs from A."""
    out = a.copy()
    for i in range(a.shape[0]):
        out[i, i] += 0.5
    return out


@njit
def solve(a, b):
    """By LU factors."""
    return np.linalg.solve(a, b)


@njit
def cholesky(a):
    """Return the lower factor."""
    return np.linalg.cholesky(a)


@njit
def qr(a):
    """Reduced."""
    return np.linalg.qr(a)


@njit
def svd(a):
    """Thin."""
    return np.linalg.svd(a, False)


@njit
def eigh(a):
    """Of the lower triangle."""
    return np.linalg.eigh(a)


@njit
def one_system(lower, diagonal, upper, right, out):
    """Elimination downwards, substitution upwards."""
    n = right.size
    ratios = np.empty_like(right)
    ratios[0] = upper[0] / diagonal[0]
    out[0] = right[0] / diagonal[0]
    for i in range(1, n):
        pivot = diagonal[i] - lower[i] * ratios[i - 1]
        ratios[i] = upper[i] / pivot
        out[i] = (right[i] - lower[i] * out[i - 1]) / pivot
    for k in range(1, n):
        out[n - 1 - k] -= ratios[n - 1 - k] * out[n - k]


@njit(parallel=True)
def tridiagonal_solve(lower, diagonal, upper, right):
    """Solve one system after the other, on threads where there are many equations."""
    out = np.empty_like(right)
    if right.size < GRAIN:
        for k in range(right.shape[0]):
            one_system(lower[k], diagonal[k], upper[k], right[k], out[k])
    else:
        for k in prange(right.shape[0]):
            one_system(lower[k], diagonal[k], upper[k], right[k], out[k])
    return out


@njit(parallel=True)
def small_solves(a, b):
    """Systems on threads, each by LU factors."""
    out = np.empty_like(b)
    for i in prange(b.shape[0]):
        out[i] = np.linalg.solve(a[i], b[i])
    return out
