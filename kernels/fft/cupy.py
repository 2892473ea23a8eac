"""Fourier transforms in CuPy."""

import cupy as cp

from kernels.shared import bind

shared = bind(__name__, cp)

fft = shared.fft
rfft = shared.rfft
fft2 = shared.fft2
fft3 = shared.fft3
