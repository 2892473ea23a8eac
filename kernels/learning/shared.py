"""Learning, as most libraries write it."""

from kernels.learning import ALPHA, EPSILON, LAMBDA


def selu(x):
    """Scaled exponential linear unit."""
    return LAMBDA * xp.where(x > 0, x, ALPHA * xp.exp(x) - ALPHA)


def softmax(x):
    """Along the last axis, shifted by the largest."""
    exponentials = xp.exp(x - xp.max(x, axis=-1, keepdims=True))
    return exponentials / xp.sum(exponentials, axis=-1, keepdims=True)


def layer_norm(x, scale, shift):
    """Of each row; the mean is taken off before squares are, which would lose digits."""
    centred = x - xp.mean(x, axis=1, keepdims=True)
    variance = xp.mean(centred * centred, axis=1, keepdims=True)
    return scale * centred / xp.sqrt(variance + EPSILON) + shift


def attention(q, k, v):
    """Of each head."""
    return softmax(q @ xp.swapaxes(k, 1, 2) * q.shape[2] ** -0.5) @ v


def attention_gradient(q, k, v, back):
    """With respect to all three, by hand."""
    scale = q.shape[2] ** -0.5
    weights = softmax(q @ xp.swapaxes(k, 1, 2) * scale)
    to_weights = back @ xp.swapaxes(v, 1, 2)
    to_scores = weights * (to_weights - xp.sum(weights * to_weights, axis=2, keepdims=True))
    return to_scores @ k * scale, xp.swapaxes(to_scores, 1, 2) @ q * scale, xp.swapaxes(weights, 1, 2) @ back


def conv2d(x, w):
    """One product of all windows, side by side, with the filters."""
    windows = xp.lib.stride_tricks.sliding_window_view(x, w.shape[:2], axis=(1, 2))
    return xp.tensordot(windows, w, axes=((4, 5, 3), (0, 1, 2)))


def pairwise_distances(x, y):
    """By the differences, all of them."""
    difference = x[:, None, :] - y[None, :, :]
    return xp.sqrt(xp.sum(difference * difference, axis=2))
