"""Elementwise kernels in JAX."""

import jax.numpy as jnp

from kernels.shared import bind

shared = bind(__name__, jnp)

add = shared.add
multiply = shared.multiply
sine = shared.sine
elementwise = shared.elementwise
arc_distance = shared.arc_distance
