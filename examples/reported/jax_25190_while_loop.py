"""A while_loop of a few scalar operations: one iteration became many times dearer with the new CPU runtime.

Issue:    https://github.com/jax-ml/jax/issues/25190
Versions: jax 0.4.31 -> 0.4.33
Reported: 21x (2 s -> 42 s)
Old:      jax==0.4.31 jaxlib==0.4.31 numpy==2.0.2 scipy==1.14.1
New:      jax==0.4.33 jaxlib==0.4.33 numpy==2.0.2 scipy==1.14.1
Kind:     steady
Kernels:  ring_walk
"""

import jax
import jax.numpy as jnp
from jax import lax

sizes = (10_000, 100_000)


def inputs(rng, size):
    return (jnp.arange(size, dtype=jnp.int32),)


@jax.jit
def walk(table):
    """Step through the table until its largest entry has been seen."""
    largest = table.max()

    def unfinished(state):
        seen, _ = state
        return seen < largest

    def step(state):
        seen, at = state
        return lax.max(seen, table[at]), at + 1

    return lax.while_loop(unfinished, step, (jnp.int32(0), jnp.int32(0)))[1]


def bench_while_loop(table):
    return walk(table)
