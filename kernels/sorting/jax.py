"""Sorting in JAX."""

import jax.numpy as jnp

from kernels.shared import bind

shared = bind(__name__, jnp)

sort = shared.sort
