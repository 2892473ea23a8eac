"""Sorting in TensorFlow."""

from kernels.names import tensorflow as xp
from kernels.shared import bind

shared = bind(__name__, xp)

sort = shared.sort
