"""Linear algebra in TensorFlow."""

import tensorflow as tf

from kernels.names import tensorflow as xp
from kernels.shared import bind

shared = bind(__name__, xp)

matmul = shared.matmul


def matmul_transposed(x):
    """x · xᵀ, without a transposed copy."""
    return tf.matmul(x, x, transpose_b=True)
