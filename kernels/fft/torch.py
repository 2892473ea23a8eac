"""Fourier transforms in PyTorch."""

import torch

from kernels.shared import bind

shared = bind(__name__, torch)

fft = shared.fft
rfft = shared.rfft
fft2 = shared.fft2
fft3 = shared.fft3
