"""Linear algebra in PyTorch."""

import torch

from kernels.shared import bind

shared = bind(__name__, torch)

matmul = shared.matmul
matmul_transposed = shared.matmul_transposed
matvec = shared.matvec
batched_matmul = shared.batched_matmul
small_solves = shared.small_solves
solve = shared.solve
qr = shared.qr
svd = shared.svd
eigh = shared.eigh
cholesky = shared.cholesky
tridiagonal_solve = shared.tridiagonal_solve


def diagonal_shift(a):
    """Return a + I/2, on the matrix's device."""
    return a + torch.eye(a.shape[0], dtype=a.dtype, device=a.device) / 2
