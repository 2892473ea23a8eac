"""Derivatives in CuPy: finite differences, as in NumPy."""

import cupy as cp


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


def polynomial(x):
    """−4x³ + 9x² + 6x − 3."""
    return -4 * x * x * x + 9 * x * x + 6 * x - 3


def step(x, order):
    """The step that balances truncation and rounding: ε to the power 1 / (order + 2), x being about 1."""
    return cp.finfo(x.dtype).eps ** (1 / (order + 2))


def derivative1(x):
    """Central differences, two evaluations."""
    h = step(x, 1)
    return (polynomial(x + h) - polynomial(x - h)) / (2 * h)


def derivative2(x):
    """Central differences, three evaluations."""
    h = step(x, 2)
    return (polynomial(x + h) - 2 * polynomial(x) + polynomial(x - h)) / (h * h)


def derivative3(x):
    """Central differences, four evaluations."""
    h = step(x, 3)
    near = polynomial(x + h) - polynomial(x - h)
    far = polynomial(x + 2 * h) - polynomial(x - 2 * h)
    return (far - 2 * near) / (2 * h * h * h)
