"""Simulations in MLX: loops in Python; compiled, all of their steps are one program."""

import mlx.core as mx

from kernels.shared import bind

shared = bind(__name__, mx)

n_body = shared.n_body
floyd_warshall = shared.floyd_warshall
total_variation = shared.total_variation


def normal(d):
    """Return the normal distribution's function: MLX has that of its error function only."""
    return 0.5 * (1 + mx.erf(d * 0.5**0.5))


def black_scholes(share, strike, years):
    """By the error function."""
    return shared.prices(share, strike, years, normal)


def jacobi_2d(u, sweeps):
    """Return a loop in Python; an array of its own is assigned to, not the one that was given."""
    for _ in range(sweeps):
        mean = shared.inner_mean(u)
        u = mx.array(u)
        u[1:-1, 1:-1] = mean
    return u


def laplacian(p):
    """Apply the five-point stencil, with zeros around the grid."""
    wide = mx.pad(p, 1)
    return 4 * p - wide[:-2, 1:-1] - wide[2:, 1:-1] - wide[1:-1, :-2] - wide[1:-1, 2:]


def conjugate_gradient(b, iterations):
    """Loop in Python."""
    return shared.conjugate_gradient(laplacian, b, iterations)
