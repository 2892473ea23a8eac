"""Loops in MLX: in Python, which describes all steps before the first is computed."""

import mlx.core as mx

from kernels.shared import bind

shared = bind(__name__, mx)

runge_kutta = shared.runge_kutta
kepler = shared.kepler
small_scan = shared.small_scan


def mandelbrot(real, imaginary, iterations):
    """Compute all points at once."""
    zeros = mx.zeros((real.size, imaginary.size), real.dtype)
    state = zeros, zeros, mx.zeros(zeros.shape, mx.int32)
    for _ in range(iterations):
        state = shared.escape(state, real[:, None], imaginary[None, :])
    return state[2]


def linear_recurrence(a, b):
    """Compute one row after the other."""
    h, rows = mx.zeros_like(b[0]), []
    for factors, terms in zip(a, b, strict=True):
        h = factors * h + terms
        rows.append(h)
    return mx.stack(rows)


def ring_walk(following, goal):
    """Visit one element after the other, each fetched."""
    place, count = 0, 0
    while place != goal:
        place, count = following[place].item(), count + 1
    return mx.array(count)
