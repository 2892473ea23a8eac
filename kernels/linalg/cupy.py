"""Linear algebra in CuPy."""

import cupy as cp

from kernels.shared import bind

shared = bind(__name__, cp)

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
