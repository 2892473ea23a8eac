"""Elementwise kernels in PyTorch."""

import torch

from kernels.shared import bind

shared = bind(__name__, torch)

add = shared.add
multiply = shared.multiply
sine = shared.sine
elementwise = shared.elementwise
arc_distance = shared.arc_distance
