"""Sorting in TensorFlow."""

import tensorflow as tf

from kernels.names import tensorflow as xp
from kernels.shared import bind

shared = bind(__name__, xp)

sort = shared.sort
argsort = shared.argsort
argsort_sorted = shared.argsort_sorted
searchsorted = shared.searchsorted


def lexsort(keys):
    """Return a stable sort by each key in turn, the last one last."""
    places = tf.argsort(keys[0], stable=True)
    for i in range(1, keys.shape[0]):
        places = tf.gather(places, tf.argsort(tf.gather(keys[i], places), stable=True))
    return places


def top_k(x, k):
    """TensorFlow's own."""
    return tf.math.top_k(x, k)
