"""Learning in NumPy."""

import numpy as np

from kernels.shared import bind

shared = bind(__name__, np)

selu = shared.selu


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
