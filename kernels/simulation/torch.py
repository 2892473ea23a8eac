"""Simulations in PyTorch. Steps of compiled loops are compiled once and called: inlined, they would take minutes."""

import torch
from torch.nn.functional import pad

from kernels.shared import bind

shared = bind(__name__, torch)

n_body = shared.n_body
floyd_warshall = shared.floyd_warshall
total_variation = shared.total_variation

# PyTorch before 2.8 inlines.
region = getattr(torch.compiler, "nested_compile_region", lambda function: function)


def black_scholes(share, strike, years):
    """By PyTorch's normal distribution."""
    return shared.prices(share, strike, years, torch.special.ndtr)


@region
def step(state, masses):
    """One step."""
    return shared.step(state, masses)


def n_body_compiled(places, velocities, masses, steps):
    """Run all steps in one graph. What is given to a step may share no memory, as columns of a matrix do."""
    state = tuple(part.clone() for part in shared.start(places, velocities, masses))
    for _ in range(steps):
        state = step(state, masses)
    return shared.end(state)


def jacobi_2d(u, sweeps):
    """From one array to another and back."""
    old, new = u.clone(), u.clone()
    for _ in range(sweeps):
        new[1:-1, 1:-1] = shared.inner_mean(old)
        old, new = new, old
    return old


@region
def sweep(u):
    """One sweep, to an array of its own."""
    rows = torch.cat((u[1:-1, :1], shared.inner_mean(u), u[1:-1, -1:]), 1)
    return torch.cat((u[:1], rows, u[-1:]))


def jacobi_2d_compiled(u, sweeps):
    """Run all sweeps in one graph."""
    for _ in range(sweeps):
        u = sweep(u)
    return u


def laplacian(p):
    """Apply the five-point stencil, with zeros around the grid."""
    wide = pad(p, (1, 1, 1, 1))
    return 4 * p - wide[:-2, 1:-1] - wide[2:, 1:-1] - wide[1:-1, :-2] - wide[1:-1, 2:]


def conjugate_gradient(b, iterations):
    """Loop in Python."""
    return shared.conjugate_gradient(laplacian, b, iterations)


@region
def iterate(x, r, p, square):
    """One iteration."""
    return shared.iterate(laplacian, x, r, p, square)


def conjugate_gradient_compiled(b, iterations):
    """Run all iterations in one graph."""
    state = 0 * b, b, b.clone(), torch.sum(b * b)
    for _ in range(iterations):
        state = iterate(*state)
    return state[0]
