"""Sorting in CuPy."""

import cupy as cp

from kernels.shared import bind

shared = bind(__name__, cp)

sort = shared.sort
