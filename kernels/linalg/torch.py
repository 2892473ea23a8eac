"""Linear algebra in PyTorch."""

import torch

from kernels.shared import bind

shared = bind(__name__, torch)

matmul = shared.matmul
matmul_transposed = shared.matmul_transposed
