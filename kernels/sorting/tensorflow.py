"""Sorting in TensorFlow."""

import tensorflow as tf


def sort(x):
    """Ascending."""
    return tf.sort(x)
