"""Linear algebra in NumPy."""

import numpy as np

from kernels.shared import bind

shared = bind(__name__, np)

matmul = shared.matmul
matmul_transposed = shared.matmul_transposed
