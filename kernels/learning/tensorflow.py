"""Learning in TensorFlow."""

import tensorflow as tf

from kernels.names import tensorflow as xp
from kernels.shared import bind

shared = bind(__name__, xp)

selu = shared.selu


def descend(x, y, w, b, rate):
    """Weights and bias one step on."""
    error = tf.linalg.matvec(x, w) + b - y
    step = 2 * rate / y.shape[0]
    return w - step * tf.linalg.matvec(x, error, transpose_a=True), b - step * tf.reduce_sum(error)


def linear_regression(x, y, iterations, rate):
    """Weights and bias, an operation at a time."""
    w, b = tf.zeros(x.shape[1], x.dtype), tf.zeros((), x.dtype)
    for _ in range(iterations):
        w, b = descend(x, y, w, b, rate)
    return w, b


def linear_regression_compiled(x, y, iterations, rate):
    """Weights and bias, the loop in the program."""
    start = tf.zeros(x.shape[1], x.dtype), tf.zeros((), x.dtype)
    return tf.while_loop(
        lambda w, b: True, lambda w, b: descend(x, y, w, b, rate), start, maximum_iterations=iterations
    )
