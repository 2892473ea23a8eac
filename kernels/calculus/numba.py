"""Derivatives in Numba: finite differences, the weights in parallel."""

from math import exp

import numpy as np
from numba import njit, prange

from kernels.elementwise.numba import each_element


@njit
def loss(w, x, i, wi):
    """Σ(wⱼxⱼ)² with wᵢ replaced by ``wi``, summed in float64."""
    total = 0.0
    for j in range(w.size):
        y = (wi if j == i else w[j]) * x[j]
        total += np.float64(y * y)
    return total


@njit(parallel=True)
def gradient(w, x):
    """Forward differences, one evaluation a weight."""
    step = np.sqrt(np.finfo(w.dtype).eps)
    base = loss(w, x, 0, w[0])
    result = np.empty_like(w)
    for i in prange(w.size):
        moved = w[i] + step
        result[i] = (loss(w, x, i, moved) - base) / (moved - w[i])
    return result


# Inlined by force: where LLVM does not inline on its own, it computes the step anew for each element.
inlined = njit(forceinline=True)


@inlined
def value(x):
    """−4x³ + 9x² + 6x − 3 of one number, in its precision: Numba makes float64 of a float32 and an integer."""
    number = type(x)
    return number(-4) * x * x * x + number(9) * x * x + number(6) * x - number(3)


@inlined
def step(x, order):
    """Return the step that balances truncation and rounding: ε to the power 1 / (order + 2), x being about 1."""
    return type(x)(np.finfo(type(x)).eps ** (1 / (order + 2)))


@inlined
def first(x):
    """Central differences, two evaluations."""
    h = step(x, 1)
    return (value(x + h) - value(x - h)) / (h + h)


@inlined
def second(x):
    """Central differences, three evaluations."""
    h = step(x, 2)
    here = value(x)
    return (value(x + h) - (here + here) + value(x - h)) / (h * h)


@inlined
def third(x):
    """Central differences, four evaluations."""
    h = step(x, 3)
    near = value(x + h) - value(x - h)
    far = value(x + h + h) - value(x - h - h)
    return (far - (near + near)) / ((h + h) * h * h)


polynomial = each_element(value)
derivative1 = each_element(first)
derivative2 = each_element(second)
derivative3 = each_element(third)


@njit
def slope(x, y, w):
    """Return the gradient of the mean of log(1 + exp(−y·xw))."""
    z = np.dot(x, w)
    for i in range(z.size):
        z[i] = -y[i] / (1 + exp(y[i] * z[i])) / z.size
    return np.dot(z, x)


@njit
def hessian(x, y, w):
    """Central differences of the gradient, two evaluations a weight."""
    h = np.finfo(w.dtype).eps ** (1 / 3)
    out = np.empty((w.size, w.size), w.dtype)
    for i in range(w.size):
        up, down = w.copy(), w.copy()
        up[i] += h
        down[i] -= h
        out[i] = (slope(x, y, up) - slope(x, y, down)) / (up[i] - down[i])
    return out
