"""A batch in TensorFlow."""

import tensorflow as tf


def layer(x, w, b):
    """Apply a dense layer to one example."""
    return tf.tanh(tf.linalg.matvec(w, x) + b)


def vmap_mapped(x, w, b):
    """Map over the first axis of the examples. Eager, this traces and rewrites a graph at every call."""
    return tf.vectorized_map(lambda example: layer(example, w, b), x, fallback_to_while_loop=False)


def vmap_vectorised(x, w, b):
    """Apply a dense layer to a batch."""
    return tf.tanh(tf.matmul(x, w, transpose_b=True) + b)


def vmap_loop(x, w, b):
    """One example at a time."""
    return tf.stack([layer(example, w, b) for example in tf.unstack(x)])


def vmap_loop_compiled(x, w, b):
    """One example at a time, the loop in the program."""
    return tf.map_fn(lambda example: layer(example, w, b), x)
