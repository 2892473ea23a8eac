"""Loops in PyTorch: in Python. Steps of compiled loops are compiled once and called."""

import torch

from kernels.shared import bind

shared = bind(__name__, torch)

runge_kutta = shared.runge_kutta
kepler = shared.kepler
small_scan = shared.small_scan

# PyTorch before 2.8 inlines.
region = getattr(torch.compiler, "nested_compile_region", lambda function: function)


def begin(real, imaginary):
    """Return the state of all points before the first iteration, and the points."""
    zeros = real.new_zeros((real.shape[0], imaginary.shape[0]))
    return (zeros, zeros, torch.zeros_like(zeros, dtype=torch.int32)), (real[:, None], imaginary[None, :])


def mandelbrot(real, imaginary, iterations):
    """Compute all points at once."""
    state, points = begin(real, imaginary)
    for _ in range(iterations):
        state = shared.escape(state, *points)
    return state[2]


@region
def escape(x, y, count, real, imaginary):
    """One iteration."""
    return shared.escape((x, y, count), real, imaginary)


def mandelbrot_compiled(real, imaginary, iterations):
    """Run all iterations in one graph."""
    (x, y, count), points = begin(real, imaginary)
    y = y.clone()
    for _ in range(iterations):
        x, y, count = escape(x, y, count, *points)
    return count


@region
def step(x):
    """One step."""
    return shared.step(x)


def runge_kutta_compiled(x, steps):
    """Run all steps in one graph."""
    for _ in range(steps):
        x = step(x)
    return x


def linear_recurrence(a, b):
    """Compute one row after the other."""
    out = torch.empty_like(b)
    h = torch.zeros_like(b[0])
    for t in range(len(b)):
        h = a[t] * h + b[t]
        out[t] = h
    return out


def ring_walk(following, goal):
    """Visit one element after the other, each fetched."""
    place, count = 0, 0
    while place != goal:
        place, count = int(following[place]), count + 1
    return torch.tensor(count, device=following.device)
