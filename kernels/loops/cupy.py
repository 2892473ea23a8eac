"""Loops in CuPy: in Python."""

import cupy as cp

from kernels.shared import bind

shared = bind(__name__, cp)

runge_kutta = shared.runge_kutta
kepler = shared.kepler
small_scan = shared.small_scan


def mandelbrot(real, imaginary, iterations):
    """Compute all points at once."""
    points = real[:, None], imaginary[None, :]
    zeros = cp.zeros((real.size, imaginary.size), real.dtype)
    state = zeros, zeros, cp.zeros(zeros.shape, cp.int32)
    for _ in range(iterations):
        state = shared.escape(state, *points)
    return state[2]


def linear_recurrence(a, b):
    """Compute one row after the other."""
    out = cp.empty_like(b)
    h = cp.zeros_like(b[0])
    for t in range(len(b)):
        h = a[t] * h + b[t]
        out[t] = h
    return out


def ring_walk(following, goal):
    """Visit one element after the other, each fetched from the device."""
    place, count = 0, 0
    while place != goal:
        place, count = int(following[place]), count + 1
    return cp.asarray(count)
