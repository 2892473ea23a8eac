"""Reductions in TensorFlow."""

import tensorflow as tf

from kernels.names import tensorflow as xp
from kernels.reductions import BINS, HIGH, LOW
from kernels.shared import bind

shared = bind(__name__, xp)

sum = shared.sum
sum_columns = shared.sum_columns
argmax = shared.argmax
cumulative_sum = shared.cumulative_sum


def logsumexp(x):
    """Of all elements. TensorFlow's own function has further arguments, which its compiler's program would ask for."""
    return tf.reduce_logsumexp(x)


def histogram(x):
    """Return counts."""
    return tf.histogram_fixed_width(x, [LOW, HIGH], BINS)


def histogram_compiled(x):
    """Return counts, by the number of each element's bin: XLA has no kernel for TensorFlow's histogram."""
    bins = tf.cast((x - LOW) * (BINS / (HIGH - LOW)), tf.int32)
    return tf.math.unsorted_segment_sum(tf.ones_like(bins), bins, BINS)
