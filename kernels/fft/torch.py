"""Fourier transforms in PyTorch."""

import torch

from kernels.shared import bind

shared = bind(__name__, torch)

fft = shared.fft
