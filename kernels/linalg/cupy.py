"""Linear algebra in CuPy."""

import cupy as cp

from kernels.shared import bind

shared = bind(__name__, cp)

matmul = shared.matmul
matmul_transposed = shared.matmul_transposed
