"""Fourier transforms in NumPy."""

import numpy as np

from kernels.shared import bind

shared = bind(__name__, np)

fft = shared.fft
