"""Linear algebra in NumPy, and SciPy's where NumPy has no routine."""

import numpy as np

from kernels.late import Late
from kernels.shared import bind

shared = bind(__name__, np)

matmul = shared.matmul
matmul_transposed = shared.matmul_transposed
matvec = shared.matvec
batched_matmul = shared.batched_matmul
diagonal_shift = shared.diagonal_shift
solve = shared.solve
qr = shared.qr
svd = shared.svd
eigh = shared.eigh
cholesky = shared.cholesky
small_solves = shared.small_solves
tridiagonal_solve = Late("kernels.linalg.scipy", "tridiagonal_solve")
