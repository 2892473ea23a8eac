"""A robot arm's mass matrix from its joint angles, float64: a chain of 4x4 products, unrolled, then small contractions.

Issue:    https://github.com/jax-ml/jax/issues/26021
Versions: jax 0.4.31 -> 0.4.33 (still 2-3x in 0.6.0)
Reported: 3x
Old:      jax==0.4.31 jaxlib==0.4.31 numpy==2.0.2 scipy==1.14.1
New:      jax==0.4.33 jaxlib==0.4.33 numpy==2.0.2 scipy==1.14.1
Kind:     steady,first
Kernels:  small_scan
"""

import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)

sizes = (7, 30)  # joints


def inputs(rng, size):
    offsets = np.tile(np.eye(4), (size, 1, 1))
    offsets[:, :3, 3] = rng.uniform(-0.2, 0.2, (size, 3))
    return jnp.asarray(rng.uniform(-1, 1, size)), jnp.asarray(offsets), jnp.asarray(rng.uniform(0.5, 2, size))


def turn(angle):
    c, s = jnp.cos(angle), jnp.sin(angle)
    return jnp.array([[c, -s, 0.0, 0.0], [s, c, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]])


@jax.jit
def mass_matrix(q, offsets, masses):
    n = q.shape[0]
    frame, frames = jnp.eye(4), []
    for i in range(n):
        frame = frame @ offsets[i] @ turn(q[i])
        frames.append(frame)
    frames = jnp.stack(frames)
    axes, origins = frames[:, :3, 2], frames[:, :3, 3]
    lever = origins[:, None, :] - origins[None, :, :]  # link, joint
    moves = jnp.cross(axes[None, :, :], lever) * jnp.tril(jnp.ones((n, n)))[:, :, None]
    turns = axes[None, :, :] * jnp.tril(jnp.ones((n, n)))[:, :, None]
    linear = jnp.einsum("l,lia,lja->ij", masses, moves, moves)
    return linear + 0.01 * jnp.einsum("l,lia,lja->ij", masses, turns, turns)


def bench_mass_matrix(q, offsets, masses):
    return mass_matrix(q, offsets, masses)
