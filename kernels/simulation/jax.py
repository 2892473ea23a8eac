"""Simulations in JAX: loops in Python one operation at a time, and in the program where they are compiled."""

import jax
import jax.numpy as jnp
from jax.scipy.special import ndtr

from kernels.shared import bind

shared = bind(__name__, jnp)

n_body = shared.n_body
floyd_warshall = shared.floyd_warshall
total_variation = shared.total_variation


def black_scholes(share, strike, years):
    """By JAX's normal distribution."""
    return shared.prices(share, strike, years, ndtr)


def n_body_compiled(places, velocities, masses, steps):
    """Loop in the program."""
    state = shared.start(places, velocities, masses)
    return shared.end(jax.lax.fori_loop(0, steps, lambda _, now: shared.step(now, masses), state))


def sweep(u):
    """One sweep."""
    return u.at[1:-1, 1:-1].set(shared.inner_mean(u))


def jacobi_2d(u, sweeps):
    """Loop in Python."""
    for _ in range(sweeps):
        u = sweep(u)
    return u


def jacobi_2d_compiled(u, sweeps):
    """Loop in the program, from one array to another and back: XLA would copy a single one for
    each sweep.
    """

    def back_and_forth(_, arrays):
        old, new = arrays
        new = new.at[1:-1, 1:-1].set(shared.inner_mean(old))
        return old.at[1:-1, 1:-1].set(shared.inner_mean(new)), new

    u, _ = jax.lax.fori_loop(0, sweeps // 2, back_and_forth, (u, u))
    return sweep(u) if sweeps % 2 else u


def laplacian(p):
    """Apply the five-point stencil, with zeros around the grid."""
    wide = jnp.pad(p, 1)
    return 4 * p - wide[:-2, 1:-1] - wide[2:, 1:-1] - wide[1:-1, :-2] - wide[1:-1, 2:]


def conjugate_gradient(b, iterations):
    """Loop in Python."""
    return shared.conjugate_gradient(laplacian, b, iterations)


def conjugate_gradient_compiled(b, iterations):
    """Loop in the program."""
    state = 0 * b, b, b, jnp.sum(b * b)
    return jax.lax.fori_loop(0, iterations, lambda _, now: shared.iterate(laplacian, *now), state)[0]


def floyd_warshall_compiled(d):
    """Loop in the program."""

    def through(k, now):
        column = jax.lax.dynamic_slice_in_dim(now, k, 1, 1)
        return jnp.minimum(now, column + jax.lax.dynamic_slice_in_dim(now, k, 1, 0))

    return jax.lax.fori_loop(0, d.shape[0], through, d)
