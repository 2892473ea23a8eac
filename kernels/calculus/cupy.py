"""Derivatives in CuPy: finite differences, as in NumPy."""

import cupy as cp

from kernels.shared import bind

shared = bind(__name__, cp)

polynomial = shared.polynomial
derivative1 = shared.derivative1
derivative2 = shared.derivative2
derivative3 = shared.derivative3


def loss(w, x):
    """Σ(wᵢxᵢ)², summed in float64: in float32 the sum would swallow the differences."""
    y = w * x
    return cp.sum(y * y, dtype=cp.float64)


def gradient(w, x):
    """Forward differences, one evaluation a weight; no number leaves the device."""
    step = cp.finfo(w.dtype).eps ** 0.5
    base = loss(w, x)
    result = cp.empty_like(w)
    w = w.copy()
    for i in range(w.size):
        # A slice is a view in CuPy, of one element too.
        kept = w[i].copy()
        w[i] = kept + step
        # The step that was taken: kept + step is rounded.
        result[i] = (loss(w, x) - base) / (w[i] - kept)
        w[i] = kept
    return result


def slope(x, y, w):
    """Return the gradient of the mean of log(1 + exp(−y·xw))."""
    return -x.T @ (y / (1 + cp.exp(y * (x @ w)))) / len(y)


def hessian(x, y, w):
    """Central differences of the gradient, two evaluations a weight."""
    step = float(cp.finfo(w.dtype).eps) ** (1 / 3)
    rows = []
    for i in range(w.size):
        up, down = w.copy(), w.copy()
        up[i] += step
        down[i] -= step
        # The step that was taken: the sums are rounded.
        rows.append((slope(x, y, up) - slope(x, y, down)) / (up[i] - down[i]))
    return cp.stack(rows)
