"""Learning in CuPy."""

import cupy as cp

from kernels.learning import STRIDE
from kernels.shared import bind

shared = bind(__name__, cp)

selu = shared.selu
softmax = shared.softmax
layer_norm = shared.layer_norm
attention = shared.attention
attention_gradient = shared.attention_gradient
conv2d = shared.conv2d
pairwise_distances = shared.pairwise_distances


def cross_entropy(scores, classes):
    """Return the mean of −log softmax, shifted by the largest."""
    shifted = scores - scores.max(axis=1, keepdims=True)
    chosen = cp.take_along_axis(shifted, classes[:, None], axis=1)[:, 0]
    return cp.mean(cp.log(cp.exp(shifted).sum(axis=1)) - chosen)


def linear_regression(x, y, iterations, rate):
    """Weights and bias, in place."""
    w = cp.zeros(x.shape[1], x.dtype)
    b = cp.zeros((), x.dtype)
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
    added = cp.tensordot(x, w, axes=(1, 0)).reshape(n, samples, filters, strides, STRIDE)
    out = cp.zeros((n, filters, samples + strides - 1, STRIDE), x.dtype)
    for k in range(strides):
        out[:, :, k : k + samples] += added[:, :, :, k].swapaxes(1, 2)
    return out.reshape(n, filters, STRIDE * (samples + strides - 1))


def mlp_training_step(x, classes, w1, b1, w2, b2):
    """Backwards by hand."""
    hidden = cp.maximum(x @ w1 + b1, 0)
    scores = hidden @ w2 + b2
    shifted = scores - scores.max(axis=1, keepdims=True)
    exponentials = cp.exp(shifted)
    totals = exponentials.sum(axis=1, keepdims=True)
    places = cp.arange(len(x)), classes
    loss = cp.mean(cp.log(totals[:, 0]) - shifted[places])
    error = exponentials / totals
    error[places] -= 1
    error /= len(x)
    back = (error @ w2.T) * (hidden > 0)
    return w1 - x.T @ back, b1 - back.sum(axis=0), w2 - hidden.T @ error, b2 - error.sum(axis=0), loss
