"""Linear algebra in MLX."""

import mlx.core as mx

from kernels.shared import bind

shared = bind(__name__, mx)

matmul = shared.matmul
matmul_transposed = shared.matmul_transposed
matvec = shared.matvec
batched_matmul = shared.batched_matmul
diagonal_shift = shared.diagonal_shift
small_solves = shared.small_solves
solve = shared.solve
qr = shared.qr
eigh = shared.eigh
cholesky = shared.cholesky
tridiagonal_solve = shared.tridiagonal_solve


def svd(a):
    """Thin, as the matrix is square: MLX knows full matrices only."""
    return tuple(mx.linalg.svd(a))
