"""Sorting in TensorFlow."""

import tensorflow as tf

from kernels.names import tensorflow as xp
from kernels.shared import bind

shared = bind(__name__, xp)

sort = shared.sort
argsort = shared.argsort
argsort_sorted = shared.argsort_sorted
searchsorted = shared.searchsorted


def top_k(x, k):
    """TensorFlow's own."""
    return tf.math.top_k(x, k)
