"""Derivatives in TensorFlow: reverse mode."""

import tensorflow as tf

from kernels.names import tensorflow as xp
from kernels.shared import bind

shared = bind(__name__, xp)

polynomial = shared.polynomial


def loss(w, x):
    """Σ(wᵢxᵢ)²."""
    return tf.reduce_sum((w * x) ** 2)


def gradient(w, x):
    """With respect to w."""
    with tf.GradientTape() as tape:
        tape.watch(w)
        y = loss(w, x)
    return tape.gradient(y, w)


def derivative(x, order):
    """Differentiate ``order`` times, a tape in a tape. Elements do not mix: the tape's sum is no sum here."""
    if order == 0:
        return polynomial(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = derivative(x, order - 1)
    return tape.gradient(y, x)


def derivative1(x):
    """Return the first."""
    return derivative(x, 1)


def derivative2(x):
    """Return the second."""
    return derivative(x, 2)


def derivative3(x):
    """Return the third."""
    return derivative(x, 3)


def hessian(x, y, w):
    """Return the jacobian of a gradient."""
    with tf.GradientTape() as outer:
        outer.watch(w)
        with tf.GradientTape() as inner:
            inner.watch(w)
            loss = tf.reduce_mean(tf.nn.softplus(-y * tf.linalg.matvec(x, w)))
        slope = inner.gradient(loss, w)
    return outer.jacobian(slope, w)
