"""Derivatives in TensorFlow: reverse mode."""

import tensorflow as tf


def loss(w, x):
    """Σ(wᵢxᵢ)²."""
    return tf.reduce_sum((w * x) ** 2)


def gradient(w, x):
    """With respect to w."""
    with tf.GradientTape() as tape:
        tape.watch(w)
        y = loss(w, x)
    return tape.gradient(y, w)
