"""The sum of a product along one axis of seven, one other of which has length 1: the process dies (segmentation fault).

Issue:    https://github.com/jax-ml/jax/issues/40412
Versions: jax 0.10.1 -> 0.10.2
Reported: a crash with float32; float64 and 0.10.1 are right
Old:      jax==0.10.1 jaxlib==0.10.1 numpy==2.2.6 scipy==1.15.3
New:      jax==0.10.2 jaxlib==0.10.2 numpy==2.2.6 scipy==1.15.3
Kind:     result
"""

import jax
import jax.numpy as jnp

sizes = (8,)  # points of a direction


def inputs(rng, size):
    shape = (3, 1, 2, 2, size, size, size)
    return (jnp.asarray(rng.standard_normal(shape), jnp.float32), jnp.asarray(rng.standard_normal(shape), jnp.float32))


overlap = jax.jit(lambda left, right: (left * right).sum(axis=3))


def bench_overlap(left, right):
    return overlap(left, right)
