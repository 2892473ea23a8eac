"""Learning in TensorFlow."""

import tensorflow as tf

from kernels.learning import EPSILON, STRIDE
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


pairwise_distances = shared.pairwise_distances


def softmax(x):
    """Along the last axis."""
    return tf.nn.softmax(x)


def layer_norm(x, scale, shift):
    """By moments: outside Keras, TensorFlow has no function for a layer."""
    mean, variance = tf.nn.moments(x, 1, keepdims=True)
    return tf.nn.batch_normalization(x, mean, variance, shift, scale, EPSILON)


def cross_entropy(scores, classes):
    """TensorFlow's own."""
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=classes, logits=scores))


def attention(q, k, v):
    """Of each head."""
    return tf.matmul(tf.nn.softmax(tf.matmul(q, k, transpose_b=True) * q.shape[2] ** -0.5), v)


def conv2d(x, w):
    """TensorFlow's own."""
    return tf.nn.conv2d(x, w, 1, "VALID")


def conv_transpose1d(x, w):
    """TensorFlow's own, which has channels last on CPUs."""
    n, _, samples = x.shape
    shape = (n, STRIDE * (samples - 1) + w.shape[2], w.shape[1])
    back = tf.transpose(x, (0, 2, 1)), tf.transpose(w, (2, 1, 0))
    return tf.transpose(tf.nn.conv1d_transpose(*back, shape, STRIDE, "VALID"), (0, 2, 1))


def mlp_training_step(x, classes, w1, b1, w2, b2):
    """Down the gradient."""
    weights = w1, b1, w2, b2
    with tf.GradientTape() as tape:
        tape.watch(weights)
        value = cross_entropy(tf.nn.relu(x @ w1 + b1) @ w2 + b2, classes)
    slopes = tape.gradient(value, weights)
    return *(weight - slope for weight, slope in zip(weights, slopes, strict=True)), value
