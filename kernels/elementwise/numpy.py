"""Elementwise kernels in NumPy."""

import numpy as np

from kernels.shared import bind

shared = bind(__name__, np)

add = shared.add
multiply = shared.multiply
sine = shared.sine
elementwise = shared.elementwise
arc_distance = shared.arc_distance
