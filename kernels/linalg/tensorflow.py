"""Linear algebra in TensorFlow."""

import tensorflow as tf


def matmul(a, b):
    """A · B."""
    return a @ b


def matmul_transposed(x):
    """x · xᵀ, without a transposed copy."""
    return tf.matmul(x, x, transpose_b=True)
