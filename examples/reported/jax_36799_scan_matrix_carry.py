"""A scan whose carry is a float64 3x3 matrix: the small product in each step became about ten times slower.

Issue:    https://github.com/jax-ml/jax/issues/36799
Versions: jax 0.4.31 -> 0.4.33 (float32 was said to be unaffected)
Reported: 10x
Old:      jax==0.4.31 jaxlib==0.4.31 numpy==2.0.2 scipy==1.14.1
New:      jax==0.4.33 jaxlib==0.4.33 numpy==2.0.2 scipy==1.14.1
Kind:     steady
Kernels:  small_scan
"""

import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)

sizes = (1_000, 10_000)


def inputs(rng, size):
    angles = jnp.asarray(rng.uniform(-0.01, 0.01, size))
    return (angles, jnp.asarray(np.eye(3)))


def rotate(carry, angle):
    c, s = jnp.cos(angle), jnp.sin(angle)
    one, zero = jnp.ones_like(c), jnp.zeros_like(c)
    turn = jnp.stack([jnp.stack([c, -s, zero]), jnp.stack([s, c, zero]), jnp.stack([zero, zero, one])])
    return turn @ carry, None


@jax.jit
def turned(angles, start):
    return jax.lax.scan(rotate, start, angles)[0]


def bench_scan_3x3_float64(angles, start):
    return turned(angles, start)


def bench_scan_3x3_float32(angles, start):
    return turned(angles.astype(jnp.float32), start.astype(jnp.float32))
