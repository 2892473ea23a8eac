"""Elementwise kernels in MLX."""

import mlx.core as mx

from kernels.shared import bind

shared = bind(__name__, mx)

add = shared.add
multiply = shared.multiply
sine = shared.sine
elementwise = shared.elementwise
arc_distance = shared.arc_distance
