"""Elementwise kernels in TensorFlow."""

from kernels.names import tensorflow as xp
from kernels.shared import bind

shared = bind(__name__, xp)

add = shared.add
multiply = shared.multiply
sine = shared.sine
elementwise = shared.elementwise
arc_distance = shared.arc_distance
