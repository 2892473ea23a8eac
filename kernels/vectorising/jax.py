"""A batch in JAX."""

import jax
import jax.numpy as jnp


def layer(x, w, b):
    """A dense layer on one example."""
    return jnp.tanh(w @ x + b)


#: Mapped over the first axis of the examples; weights and biases are shared.
vmap_mapped = jax.vmap(layer, in_axes=(0, None, None))


def vmap_vectorised(x, w, b):
    """A dense layer on a batch."""
    return jnp.tanh(x @ w.T + b)


def vmap_loop(x, w, b):
    """One example at a time."""
    return jnp.stack([layer(example, w, b) for example in x])


def vmap_loop_compiled(x, w, b):
    """One example at a time, the loop in the program."""
    return jax.lax.map(lambda example: layer(example, w, b), x)
