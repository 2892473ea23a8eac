"""A batch in JAX."""

import jax
import jax.numpy as jnp

from kernels.shared import bind

shared = bind(__name__, jnp)

layer = shared.layer
vmap_vectorised = shared.vmap_vectorised
vmap_loop = shared.vmap_loop


#: Mapped over the first axis of the examples; weights and biases are shared.
vmap_mapped = jax.vmap(layer, in_axes=(0, None, None))


def vmap_loop_compiled(x, w, b):
    """One example at a time, the loop in the program."""
    return jax.lax.map(lambda example: layer(example, w, b), x)
