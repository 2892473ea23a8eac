"""Parts of an ocean model in JAX."""

from functools import partial

import jax
import jax.numpy as jnp

from kernels.shared import bind

shared = bind(__name__, jnp)

equation_of_state = shared.equation_of_state


def isoneutral_mixing(*fields):
    """As most libraries write it."""
    return shared.isoneutral_mixing(jnp.pad, partial(shared.stacked, jnp.pad), *fields)


def solve(lower, diagonal, upper, right):
    """JAX's own, of a right side that is a matrix."""
    return jax.lax.linalg.tridiagonal_solve(lower, diagonal, upper, right[..., None])[..., 0]


def turbulent_kinetic_energy(*fields):
    """Solve the systems by JAX's routine."""
    return shared.turbulent_kinetic_energy(jnp.pad, solve, jnp.arange, *fields)
