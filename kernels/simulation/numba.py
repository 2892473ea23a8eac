"""Simulations in Numba: loops, on threads where there is enough to do."""

from math import erfc, exp, log, sqrt

import numpy as np
from numba import njit, prange

from kernels.elementwise.numba import GRAIN
from kernels.simulation import RATE, SOFTENING, STEP, TINY, VOLATILITY


@njit
def normal(d):
    """Return the normal distribution's function."""
    return 0.5 * erfc(-d * sqrt(0.5))


@njit
def price(share, strike, years):
    """Of a call and a put, in float64."""
    spread = VOLATILITY * sqrt(years)
    d1 = (log(share / strike) + (RATE + VOLATILITY**2 / 2) * years) / spread
    d2 = d1 - spread
    due = strike * exp(-RATE * years)
    return share * normal(d1) - due * normal(d2), due * normal(-d2) - share * normal(-d1)


@njit(parallel=True)
def black_scholes(share, strike, years):
    """Options, on threads where they are many."""
    call, put = np.empty_like(share), np.empty_like(share)
    if share.size < GRAIN:
        for i in range(share.size):
            call[i], put[i] = price(share[i], strike[i], years[i])
    else:
        for i in prange(share.size):
            call[i], put[i] = price(share[i], strike[i], years[i])
    return call, put


@njit
def pull_of_all(i, places, masses, out):
    """Compute the acceleration of one body."""
    number = places.dtype.type
    a, b, c = number(0), number(0), number(0)
    for j in range(masses.size):
        x, y, z = places[j, 0] - places[i, 0], places[j, 1] - places[i, 1], places[j, 2] - places[i, 2]
        square = x * x + y * y + z * z + number(SOFTENING**2)
        weight = masses[j] / (square * sqrt(square))
        a += weight * x
        b += weight * y
        c += weight * z
    out[0], out[1], out[2] = a, b, c


@njit(parallel=True)
def pull(places, masses, out):
    """Bodies, on threads where their pairs are many."""
    if masses.size**2 < GRAIN:
        for i in range(masses.size):
            pull_of_all(i, places, masses, out[i])
    else:
        for i in prange(masses.size):
            pull_of_all(i, places, masses, out[i])


@njit
def n_body(places, velocities, masses, steps):
    """Half a kick, a drift, half a kick."""
    number = places.dtype.type
    places, velocities = places.copy(), velocities.copy()
    acceleration = np.empty_like(places)
    pull(places, masses, acceleration)
    for _ in range(steps):
        velocities += number(STEP / 2) * acceleration
        places += number(STEP) * velocities
        pull(places, masses, acceleration)
        velocities += number(STEP / 2) * acceleration
    return places, velocities


@njit
def sweep_row(old, new, i):
    """One row."""
    fifth = old.dtype.type(0.2)
    for j in range(1, old.shape[1] - 1):
        new[i, j] = (old[i, j] + old[i - 1, j] + old[i + 1, j] + old[i, j - 1] + old[i, j + 1]) * fifth


@njit(parallel=True)
def sweep(old, new):
    """Rows, on threads where the grid is large."""
    if old.size < GRAIN:
        for i in range(1, old.shape[0] - 1):
            sweep_row(old, new, i)
    else:
        for i in prange(1, old.shape[0] - 1):
            sweep_row(old, new, i)


@njit
def jacobi_2d(u, sweeps):
    """From one array to another and back."""
    old, new = u.copy(), u.copy()
    for _ in range(sweeps):
        sweep(old, new)
        old, new = new, old
    return old


@njit
def laplacian(p, out):
    """Apply the five-point stencil, with zeros around the grid; returns Σ p · out."""
    n, m = p.shape
    total = 0.0
    for i in range(n):
        for j in range(m):
            value = p.dtype.type(4) * p[i, j]
            if i > 0:
                value -= p[i - 1, j]
            if i < n - 1:
                value -= p[i + 1, j]
            if j > 0:
                value -= p[i, j - 1]
            if j < m - 1:
                value -= p[i, j + 1]
            out[i, j] = value
            total += p[i, j] * value
    return total


@njit
def conjugate_gradient(b, iterations):
    """Sum in float64, in the loops that make what is summed."""
    number = b.dtype.type
    x, r, p, image = np.zeros_like(b), b.copy(), b.copy(), np.empty_like(b)
    square = 0.0
    for value in b.flat:
        square += value * value
    for _ in range(iterations):
        length = number(square / (laplacian(p, image) + TINY))
        after = 0.0
        for i in range(b.shape[0]):
            for j in range(b.shape[1]):
                x[i, j] += length * p[i, j]
                r[i, j] -= length * image[i, j]
                after += r[i, j] * r[i, j]
        share = number(after / (square + TINY))
        for i in range(b.shape[0]):
            for j in range(b.shape[1]):
                p[i, j] = r[i, j] + share * p[i, j]
        square = after
    return x


@njit
def through_row(d, i, k):
    """Paths from one node through another."""
    first = d[i, k]
    for j in range(d.shape[1]):
        d[i, j] = min(d[i, j], first + d[k, j])


@njit(parallel=True)
def floyd_warshall(d):
    """In one array, a copy of the input; its rows on threads where they are long."""
    d = d.copy()
    for k in range(d.shape[0]):
        if d.size < GRAIN:
            for i in range(d.shape[0]):
                through_row(d, i, k)
        else:
            for i in prange(d.shape[0]):
                through_row(d, i, k)
    return d


@njit
def row_variation(x, i):
    """Of one row, and between it and the next; summed in float64."""
    total = 0.0
    for j in range(x.shape[1] - 1):
        total += abs(x[i, j + 1] - x[i, j])
    if i < x.shape[0] - 1:
        for j in range(x.shape[1]):
            total += abs(x[i + 1, j] - x[i, j])
    return total


@njit(parallel=True)
def total_variation(x):
    """Rows, on threads where the grid is large."""
    parts = np.empty(x.shape[0])
    if x.size < GRAIN:
        for i in range(x.shape[0]):
            parts[i] = row_variation(x, i)
    else:
        for i in prange(x.shape[0]):
            parts[i] = row_variation(x, i)
    out = np.empty((), x.dtype)
    out[()] = parts.sum()
    return out
