"""Indexing in TensorFlow."""

import tensorflow as tf


def gather(x, places):
    """Of one axis; eager code checks that each place is in it."""
    return tf.gather(x, places)


def scatter_add(values, places):
    """Add every value, also where a place comes again."""
    return tf.math.unsorted_segment_sum(values, places, values.shape[0])


def transpose(x):
    """Return an array of its own: TensorFlow has no views."""
    return tf.transpose(x)


def compress(x, mask, count):
    """Return the elements whose mask is true."""
    return tf.boolean_mask(x, mask)
