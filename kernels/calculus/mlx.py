"""Derivatives in MLX: reverse mode."""

import mlx.core as mx

from kernels.shared import bind

shared = bind(__name__, mx)

polynomial = shared.polynomial


def loss(w, x):
    """Σ(wᵢxᵢ)²."""
    return mx.sum((w * x) ** 2)


def gradient(w, x):
    """With respect to w."""
    return mx.grad(loss)(w, x)


first = mx.grad(polynomial)
second = mx.grad(first)
third = mx.grad(second)


def derivative1(x):
    """Return the first, of one number, mapped over the elements."""
    return mx.vmap(first)(x)


def derivative2(x):
    """Return the second, of one number, mapped over the elements."""
    return mx.vmap(second)(x)


def derivative3(x):
    """Return the third, of one number, mapped over the elements: a constant, which MLX would broadcast
    without a copy.
    """
    return mx.contiguous(mx.vmap(third)(x))


def logistic_loss(w, x, y):
    """Return the mean of log(1 + exp(−y·xw))."""
    return mx.mean(mx.logaddexp(0, -y * (x @ w)))


def hessian(x, y, w):
    """Forward over reverse mode, mapped over the directions: MLX has no function for it."""

    def slope(w):
        return mx.grad(logistic_loss)(w, x, y)

    def along(direction):
        return mx.jvp(slope, [w], [direction])[1][0]

    return mx.vmap(along)(mx.eye(w.size, dtype=w.dtype))
