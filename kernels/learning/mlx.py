"""Learning in MLX."""

import mlx.core as mx

from kernels.learning import EPSILON, STRIDE
from kernels.shared import bind

shared = bind(__name__, mx)

selu = shared.selu
pairwise_distances = shared.pairwise_distances


def linear_regression(x, y, iterations, rate):
    """Weights and bias, a loop in Python; the gradient is known, so mx.grad has no part in it."""
    w, b = mx.zeros(x.shape[1], x.dtype), mx.zeros((), x.dtype)
    step = 2 * rate / y.size
    for _ in range(iterations):
        error = x @ w + b - y
        w, b = w - step * (error @ x), b - step * mx.sum(error)
    return w, b


def softmax(x):
    """Of each row."""
    return mx.softmax(x, axis=1)


def layer_norm(x, scale, shift):
    """MLX's own."""
    return mx.fast.layer_norm(x, scale, shift, EPSILON)


def cross_entropy(scores, classes):
    """MLX's own, of each row."""
    return mx.mean(mx.fast.cross_entropy(scores, classes))


def attention(q, k, v):
    """MLX's own, of a batch of one."""
    return mx.fast.scaled_dot_product_attention(q[None], k[None], v[None], scale=q.shape[2] ** -0.5)[0]


def conv2d(x, w):
    """MLX's own, channels last as the images are; filters with what comes out first."""
    return mx.conv2d(x, mx.transpose(w, (3, 0, 1, 2)))


def conv_transpose1d(x, w):
    """MLX's own, which has channels last, and filters with what comes out first."""
    out = mx.conv_transpose1d(mx.swapaxes(x, 1, 2), mx.transpose(w, (1, 2, 0)), stride=STRIDE)
    return mx.contiguous(mx.swapaxes(out, 1, 2))


def loss(weights, x, classes):
    """Mean cross-entropy of two layers."""
    w1, b1, w2, b2 = weights
    return cross_entropy(mx.maximum(x @ w1 + b1, 0) @ w2 + b2, classes)


def mlp_training_step(x, classes, w1, b1, w2, b2):
    """Down the gradient."""
    weights = [w1, b1, w2, b2]
    value, slopes = mx.value_and_grad(loss)(weights, x, classes)
    return *(weight - slope for weight, slope in zip(weights, slopes, strict=True)), value
