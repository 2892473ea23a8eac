"""Elementwise kernels in CuPy."""

import cupy as cp

from kernels.shared import bind

shared = bind(__name__, cp)

add = shared.add
multiply = shared.multiply
sine = shared.sine
elementwise = shared.elementwise
arc_distance = shared.arc_distance
