"""Random numbers in TensorFlow: a Generator, whose state each call moves on, or a function of a seed."""

import tensorflow as tf


def normal(generator, n, dtype):
    """Return standard normal numbers."""
    return generator.normal((n,), dtype=dtype)


def normal_arguments(adapter, seed):
    """Return a generator; its state is a variable on the device."""
    with tf.device(adapter.where):
        return (tf.random.Generator.from_seed(int(seed)),)


def normal_split(seed, n, dtype):
    """Return standard normal numbers, and the seed for the next."""
    seed, subseed = tf.unstack(tf.random.split(seed))
    return tf.random.stateless_normal((n,), subseed, dtype=tf.as_dtype(dtype)), tf.bitcast(seed, tf.uint32)


def normal_split_arguments(adapter, seed):
    """Return a seed of two words; XLA takes int32 only."""
    with tf.device(adapter.where):
        return (tf.constant([0, int(seed)], tf.int32),)
