"""Loops in NumPy: in Python."""

import numpy as np

from kernels.shared import bind

shared = bind(__name__, np)

runge_kutta = shared.runge_kutta
kepler = shared.kepler
small_scan = shared.small_scan


def mandelbrot(real, imaginary, iterations):
    """Compute all points at once."""
    points = real[:, None], imaginary[None, :]
    zeros = np.zeros((real.size, imaginary.size), real.dtype)
    state = zeros, zeros, np.zeros(zeros.shape, np.int32)
    for _ in range(iterations):
        state = shared.escape(state, *points)
    return state[2]


def linear_recurrence(a, b):
    """Compute one row after the other."""
    out = np.empty_like(b)
    h = np.zeros_like(b[0])
    for t in range(len(b)):
        h = a[t] * h + b[t]
        out[t] = h
    return out


def ring_walk(following, goal):
    """Visit one element after the other."""
    place, count = 0, 0
    while place != goal:
        place, count = following[place], count + 1
    return np.asarray(count)
