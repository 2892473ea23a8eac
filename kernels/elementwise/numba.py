"""Elementwise kernels in Numba: loops, parallel from the length at which threads pay for themselves.

Numba has no such threshold of its own, unlike PyTorch (32,768 elements, at::internal::GRAIN_SIZE) and XLA.
"""

from math import atan2, cos, sin, sqrt

import numpy as np
from numba import njit, prange

GRAIN = 32_768


def each_element(scalar):
    """Return a compiled function of arrays from a compiled function of one number."""

    @njit(parallel=True)
    def mapped(x):
        out = np.empty_like(x)
        source, target = x.ravel(), out.ravel()  # views: the arrays are contiguous
        if source.size < GRAIN:
            for i in range(source.size):
                target[i] = scalar(source[i])
        else:
            for i in prange(source.size):
                target[i] = scalar(source[i])
        return out

    return mapped


@njit(parallel=True)
def add(a, b):
    """Return a + b."""
    out = np.empty_like(a)
    if a.size < GRAIN:
        for i in range(a.size):
            out[i] = a[i] + b[i]
    else:
        for i in prange(a.size):
            out[i] = a[i] + b[i]
    return out


@njit(parallel=True)
def multiply(a, b):
    """Return a · b."""
    out = np.empty_like(a)
    if a.size < GRAIN:
        for i in range(a.size):
            out[i] = a[i] * b[i]
    else:
        for i in prange(a.size):
            out[i] = a[i] * b[i]
    return out


@njit(parallel=True)
def sine(a):
    """sin(a)."""
    out = np.empty_like(a)
    if a.size < GRAIN:
        for i in range(a.size):
            out[i] = sin(a[i])
    else:
        for i in prange(a.size):
            out[i] = sin(a[i])
    return out


@njit(parallel=True)
def elementwise(a, b):
    """Return a + b, a · b, sin(a), in one pass over the inputs."""
    total = np.empty_like(a)
    product = np.empty_like(a)
    wave = np.empty_like(a)
    if a.size < GRAIN:
        for i in range(a.size):
            total[i] = a[i] + b[i]
            product[i] = a[i] * b[i]
            wave[i] = sin(a[i])
    else:
        for i in prange(a.size):
            total[i] = a[i] + b[i]
            product[i] = a[i] * b[i]
            wave[i] = sin(a[i])
    return total, product, wave


@njit
def arc(theta1, phi1, theta2, phi2):
    """Haversine of one pair of points, in its precision."""
    number = type(theta1)
    two = number(2)
    latitude = sin((theta2 - theta1) / two)
    longitude = sin((phi2 - phi1) / two)
    h = latitude * latitude + cos(theta1) * cos(theta2) * longitude * longitude
    return two * atan2(sqrt(h), sqrt(number(1) - h))


@njit(parallel=True)
def arc_distance(theta1, phi1, theta2, phi2):
    """Haversine, in one pass over the inputs."""
    out = np.empty_like(theta1)
    if out.size < GRAIN:
        for i in range(out.size):
            out[i] = arc(theta1[i], phi1[i], theta2[i], phi2[i])
    else:
        for i in prange(out.size):
            out[i] = arc(theta1[i], phi1[i], theta2[i], phi2[i])
    return out
