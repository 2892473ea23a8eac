"""Learning in NumPy."""

import numpy as np

from kernels.late import Late
from kernels.learning import STRIDE
from kernels.shared import bind

shared = bind(__name__, np)

selu = shared.selu
softmax = Late("kernels.learning.scipy", "softmax")
layer_norm = shared.layer_norm
cross_entropy = Late("kernels.learning.scipy", "cross_entropy")
attention = shared.attention
attention_gradient = shared.attention_gradient
conv2d = shared.conv2d
pairwise_distances = Late("kernels.learning.scipy", "pairwise_distances")


def linear_regression(x, y, iterations, rate):
    """Weights and bias, in place."""
    w = np.zeros(x.shape[1], x.dtype)
    b = np.zeros((), x.dtype)
    step = 2 * rate / len(y)
    for _ in range(iterations):
        error = x @ w
        error += b
        error -= y
        w -= step * (x.T @ error)
        b -= step * error.sum()
    return w, b


def conv_transpose1d(x, w):
    """One product of all frames with the filters; then they are added up where they overlap, a stride at a time."""
    n, filters, samples, strides = len(x), w.shape[1], x.shape[2], w.shape[2] // STRIDE
    added = np.tensordot(x, w, axes=(1, 0)).reshape(n, samples, filters, strides, STRIDE)
    out = np.zeros((n, filters, samples + strides - 1, STRIDE), x.dtype)
    for k in range(strides):
        out[:, :, k : k + samples] += added[:, :, :, k].swapaxes(1, 2)
    return out.reshape(n, filters, STRIDE * (samples + strides - 1))


def mlp_training_step(x, classes, w1, b1, w2, b2):
    """Backwards by hand."""
    hidden = np.maximum(x @ w1 + b1, 0)
    scores = hidden @ w2 + b2
    shifted = scores - scores.max(axis=1, keepdims=True)
    exponentials = np.exp(shifted)
    totals = exponentials.sum(axis=1, keepdims=True)
    places = np.arange(len(x)), classes
    loss = np.mean(np.log(totals[:, 0]) - shifted[places])
    error = exponentials / totals
    error[places] -= 1
    error /= len(x)
    back = (error @ w2.T) * (hidden > 0)
    return w1 - x.T @ back, b1 - back.sum(axis=0), w2 - hidden.T @ error, b2 - error.sum(axis=0), loss
