"""Squared lengths of many rotated points: the last rows are wrong.

Issue:    https://github.com/jax-ml/jax/issues/39103
Versions: jax 0.10.1 -> 0.10.2
Reported: from 16,385 rows (float64) or 32,769 (float32) on the last values are those of other rows
Old:      jax==0.10.1 jaxlib==0.10.1 numpy==2.2.6 scipy==1.15.3
New:      jax==0.10.2 jaxlib==0.10.2 numpy==2.2.6 scipy==1.15.3
Kind:     result
"""

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)

sizes = (1_000, 16_385)  # rows of float64; of float32 twice as many, less one


def inputs(rng, size):
    points = rng.standard_normal((2 * size - 1, 3))
    return jnp.asarray(points[:size], jnp.float64), jnp.asarray(points, jnp.float32)


def lengths(dtype):
    frame = jnp.eye(3, dtype=dtype)  # a constant of the compiled function
    return jax.jit(jax.vmap(lambda point: jnp.sum((frame @ point) ** 2)))


double, single = lengths(jnp.float64), lengths(jnp.float32)


def bench_double(points64, points32):
    return double(points64)


def bench_single(points64, points32):
    return single(points32)
