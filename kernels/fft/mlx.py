"""Fourier transforms in MLX."""

import mlx.core as mx

from kernels.shared import bind

shared = bind(__name__, mx)

fft = shared.fft
rfft = shared.rfft
fft2 = shared.fft2
fft3 = shared.fft3
