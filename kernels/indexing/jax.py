"""Indexing in JAX."""

import jax.numpy as jnp

from kernels.shared import bind

shared = bind(__name__, jnp)

compress = shared.compress


def gather(x, places):
    """Places that may be negative are made positive first."""
    return x[places]


def scatter_add(values, places):
    """Add every value, also where a place comes again."""
    return jnp.zeros_like(values).at[places].add(values)


def transpose(x):
    """Return an array of its own: JAX has no views."""
    return jnp.transpose(x)


def compress_compiled(x, mask, count):
    """Through the places of the true elements, whose number the program must know."""
    return x[jnp.nonzero(mask, size=count)[0]]
