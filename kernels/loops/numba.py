"""Loops in Numba."""

from math import cos, sin, tanh

import numpy as np
from numba import njit, prange

from kernels.elementwise.numba import GRAIN
from kernels.loops import FORCING, NEWTON, STEP


@njit
def escape(a, b, iterations):
    """One point, left when it has escaped."""
    number = type(a)
    x, y = number(0), number(0)
    for count in range(iterations):
        if x * x + y * y > 4:
            return count
        x, y = x * x - y * y + a, number(2) * x * y + b
    return iterations


@njit(parallel=True)
def mandelbrot(real, imaginary, iterations):
    """Rows of points, on threads where they are many."""
    out = np.empty((real.size, imaginary.size), np.int32)
    if out.size < GRAIN:
        for i in range(real.size):
            for j in range(imaginary.size):
                out[i, j] = escape(real[i], imaginary[j], iterations)
    else:
        for i in prange(real.size):
            for j in range(imaginary.size):
                out[i, j] = escape(real[i], imaginary[j], iterations)
    return out


@njit
def slope(x, out):
    """Of Lorenz's model; a negative index counts from the end."""
    n, forcing = x.size, x.dtype.type(FORCING)
    for i in range(n - 1):
        out[i] = (x[i + 1] - x[i - 2]) * x[i - 1] - x[i] + forcing
    out[n - 1] = (x[0] - x[n - 3]) * x[n - 2] - x[n - 1] + forcing


@njit
def runge_kutta(x, steps):
    """One thread."""
    number = x.dtype.type
    x = x.copy()
    one, two, three, four = np.empty_like(x), np.empty_like(x), np.empty_like(x), np.empty_like(x)
    for _ in range(steps):
        slope(x, one)
        slope(x + number(STEP / 2) * one, two)
        slope(x + number(STEP / 2) * two, three)
        slope(x + number(STEP) * three, four)
        x += number(STEP / 6) * (one + number(2) * two + number(2) * three + four)
    return x


@njit(parallel=True)
def linear_recurrence(a, b):
    """Channels on threads."""
    out = np.empty_like(b)
    for k in prange(b.shape[1]):
        h = b.dtype.type(0)
        for t in range(b.shape[0]):
            h = a[t, k] * h + b[t, k]
            out[t, k] = h
    return out


@njit
def anomaly(mean, eccentricity):
    """Of one orbit, in float64."""
    e = mean + 0.85 * eccentricity * np.sign(sin(mean))
    for _ in range(NEWTON):
        e -= (e - eccentricity * sin(e) - mean) / (1 - eccentricity * cos(e))
    return e


@njit(parallel=True)
def kepler(mean, eccentricity):
    """Orbits, on threads where they are many."""
    out = np.empty_like(mean)
    if mean.size < GRAIN:
        for i in range(mean.size):
            out[i] = anomaly(mean[i], eccentricity[i])
    else:
        for i in prange(mean.size):
            out[i] = anomaly(mean[i], eccentricity[i])
    return out


@njit
def small_scan(a, x):
    """Three numbers, by loops: a call of BLAS would cost more."""
    h, new = np.zeros_like(x[0]), np.empty_like(x[0])
    for t in range(x.shape[0]):
        for i in range(h.size):
            total = x[t, i]
            for j in range(h.size):
                total += a[i, j] * h[j]
            new[i] = tanh(total)
        h, new = new, h
    return h


@njit
def ring_walk(following, goal):
    """Visit one element after the other."""
    out = np.empty((), np.int64)
    place, count = 0, 0
    while place != goal:
        place, count = following[place], count + 1
    out[()] = count
    return out
