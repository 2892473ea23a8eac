"""Linear algebra in CuPy."""

import cupy as cp

from kernels.shared import bind

shared = bind(__name__, cp)

matmul = shared.matmul
matmul_transposed = shared.matmul_transposed
matvec = shared.matvec
batched_matmul = shared.batched_matmul
diagonal_shift = shared.diagonal_shift
small_solves = shared.small_solves
solve = shared.solve
svd = shared.svd
eigh = shared.eigh
cholesky = shared.cholesky
tridiagonal_solve = shared.tridiagonal_solve


def qr(a):
    """Reduced. CuPy's factors are laid out by columns, and results are by rows here, as NumPy's are."""
    return tuple(cp.ascontiguousarray(factor) for factor in cp.linalg.qr(a))
