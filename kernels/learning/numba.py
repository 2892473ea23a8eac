"""Learning in Numba."""

from math import exp, log, sqrt

import numpy as np
from numba import njit, prange

from kernels.elementwise.numba import GRAIN, each_element
from kernels.learning import ALPHA, EPSILON, LAMBDA, STRIDE


@njit
def unit(x):
    """Scaled exponential linear unit of one number, in its precision."""
    number = type(x)
    return number(LAMBDA) * (x if x > 0 else number(ALPHA) * exp(x) - number(ALPHA))


selu = each_element(unit)


@njit
def linear_regression(x, y, iterations, rate):
    """Weights and bias, the products by BLAS: a loop over samples was four times slower at 100 features."""
    w = np.zeros(x.shape[1], x.dtype)
    b = np.zeros((), x.dtype)
    step = x.dtype.type(2 * rate / y.size)
    for _ in range(iterations):
        error = np.dot(x, w) + b[()] - y
        w -= step * np.dot(error, x)
        b[()] -= step * error.sum()
    return w, b


def each_row(one):
    """Return a compiled function of matrices, from a compiled function of a row and of where its result goes."""

    @njit(parallel=True)
    def mapped(x, out):
        if x.size < GRAIN:
            for i in range(x.shape[0]):
                one(x[i], out[i])
        else:
            for i in prange(x.shape[0]):
                one(x[i], out[i])

    return mapped


@njit
def softmax_row(x, out):
    """Three passes: the largest, the exponentials and their sum, the quotients."""
    largest = x.max()
    total = 0.0
    for j in range(x.size):
        out[j] = exp(x[j] - largest)
        total += out[j]
    share = x.dtype.type(1 / total)
    for j in range(x.size):
        out[j] *= share


softmax_rows = each_row(softmax_row)


@njit
def softmax(x):
    """Rows, on threads where they are many."""
    out = np.empty_like(x)
    softmax_rows(x, out)
    return out


@njit
def norm_row(x, scale, shift, out):
    """Three passes: the mean, the variance, the result."""
    mean, variance = 0.0, 0.0
    for j in range(x.size):
        mean += x[j]
    mean /= x.size
    for j in range(x.size):
        variance += (x[j] - mean) ** 2
    factor = 1 / sqrt(variance / x.size + EPSILON)
    for j in range(x.size):
        out[j] = scale[j] * ((x[j] - mean) * factor) + shift[j]


@njit(parallel=True)
def layer_norm(x, scale, shift):
    """Rows, on threads where they are many."""
    out = np.empty_like(x)
    if x.size < GRAIN:
        for i in range(x.shape[0]):
            norm_row(x[i], scale, shift, out[i])
    else:
        for i in prange(x.shape[0]):
            norm_row(x[i], scale, shift, out[i])
    return out


@njit
def surprise(x, place):
    """−log softmax of a row at one place."""
    largest = x.max()
    total = 0.0
    for j in range(x.size):
        total += exp(x[j] - largest)
    return log(total) - (x[place] - largest)


@njit(parallel=True)
def cross_entropy(scores, classes):
    """Rows, on threads where they are many."""
    each = np.empty(classes.size)
    if scores.size < GRAIN:
        for i in range(classes.size):
            each[i] = surprise(scores[i], classes[i])
    else:
        for i in prange(classes.size):
            each[i] = surprise(scores[i], classes[i])
    out = np.empty((), scores.dtype)
    out[()] = each.mean()
    return out


@njit
def weights_of(q, k):
    """softmax(QKᵀ/√depth) of one head, the product by BLAS."""
    scores = np.dot(q, k.T)
    scores *= q.dtype.type(q.shape[1] ** -0.5)
    for i in range(scores.shape[0]):
        softmax_row(scores[i], scores[i])
    return scores


@njit(parallel=True)
def attention(q, k, v):
    """Heads on threads."""
    out = np.empty_like(q)
    for h in prange(q.shape[0]):
        np.dot(weights_of(q[h], k[h]), v[h], out[h])
    return out


@njit(parallel=True)
def attention_gradient(q, k, v, back):
    """Heads on threads, by hand."""
    to_q, to_k, to_v = np.empty_like(q), np.empty_like(k), np.empty_like(v)
    scale = q.dtype.type(q.shape[2] ** -0.5)
    for h in prange(q.shape[0]):
        weights = weights_of(q[h], k[h])
        np.dot(weights.T, back[h], to_v[h])
        slope = np.dot(back[h], v[h].T)
        for i in range(slope.shape[0]):
            total = 0.0
            for j in range(slope.shape[1]):
                total += weights[i, j] * slope[i, j]
            for j in range(slope.shape[1]):
                slope[i, j] = weights[i, j] * (slope[i, j] - total) * scale
        np.dot(slope, k[h], to_q[h])
        np.dot(slope.T, q[h], to_k[h])
    return to_q, to_k, to_v


@njit
def correlate(image, w, out):
    """One image; filters inside, which lie side by side in memory."""
    out[:] = 0
    for r in range(out.shape[0]):
        for c in range(out.shape[1]):
            for i in range(w.shape[0]):
                for j in range(w.shape[1]):
                    for k in range(w.shape[2]):
                        value = image[r + i, c + j, k]
                        for f in range(w.shape[3]):
                            out[r, c, f] += value * w[i, j, k, f]


@njit(parallel=True)
def conv2d(x, w):
    """Images on threads."""
    out = np.empty((x.shape[0], x.shape[1] - w.shape[0] + 1, x.shape[2] - w.shape[1] + 1, w.shape[3]), x.dtype)
    for n in prange(x.shape[0]):
        correlate(x[n], w, out[n])
    return out


@njit
def conv_transpose1d(x, w):
    """One product of all frames with each filter by BLAS; then they are added up where they overlap."""
    samples, length = x.shape[2], w.shape[2]
    out = np.zeros((x.shape[0], w.shape[1], STRIDE * (samples - 1) + length), x.dtype)
    for n in range(x.shape[0]):
        for f in range(w.shape[1]):
            added = np.dot(x[n].T, np.ascontiguousarray(w[:, f]))
            for s in range(samples):
                for k in range(length):
                    out[n, f, STRIDE * s + k] += added[s, k]
    return out


@njit
def mlp_training_step(x, classes, w1, b1, w2, b2):
    """Backwards by hand, the products by BLAS."""
    n, number = x.shape[0], x.dtype.type
    hidden = np.dot(x, w1)
    for i in range(n):
        for j in range(b1.size):
            value = hidden[i, j] + b1[j]
            hidden[i, j] = value if value > 0 else number(0)
    error = np.dot(hidden, w2)
    total = 0.0
    for i in range(n):
        for j in range(b2.size):
            error[i, j] += b2[j]
        total += surprise(error[i], classes[i])
        softmax_row(error[i], error[i])
        error[i, classes[i]] -= number(1)
        for j in range(b2.size):
            error[i, j] /= number(n)
    back = np.dot(error, w2.T)
    for i in range(n):
        for j in range(b1.size):
            if hidden[i, j] <= 0:
                back[i, j] = 0
    loss = np.empty((), x.dtype)
    loss[()] = total / n
    return w1 - np.dot(x.T, back), b1 - back.sum(0), w2 - np.dot(hidden.T, error), b2 - error.sum(0), loss


@njit
def distances(x, others, out):
    """Of one point from all others."""
    for j in range(others.shape[0]):
        total = x.dtype.type(0)
        for k in range(x.size):
            difference = x[k] - others[j, k]
            total += difference * difference
        out[j] = sqrt(total)


@njit(parallel=True)
def pairwise_distances(x, y):
    """Points on threads where they are many."""
    out = np.empty((x.shape[0], y.shape[0]), x.dtype)
    if out.size < GRAIN:
        for i in range(x.shape[0]):
            distances(x[i], y, out[i])
    else:
        for i in prange(x.shape[0]):
            distances(x[i], y, out[i])
    return out
