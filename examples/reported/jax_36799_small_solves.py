"""Many small linear systems at once in float32: half as fast since the new CPU runtime (a comment in the issue).

Issue:    https://github.com/jax-ml/jax/issues/36799 (comment of 2026-04-27)
Versions: jax 0.4.31 -> 0.4.33
Reported: 2x
Old:      jax==0.4.31 jaxlib==0.4.31 numpy==2.0.2 scipy==1.14.1
New:      jax==0.4.33 jaxlib==0.4.33 numpy==2.0.2 scipy==1.14.1
Kind:     steady
Kernels:  small_solves
"""

import jax
import jax.numpy as jnp
import numpy as np

sizes = (1_000, 50_000)


def inputs(rng, size):
    a = rng.standard_normal((size, 3, 3))
    a = a @ np.swapaxes(a, 1, 2) + 0.1 * np.eye(3)
    return jnp.asarray(a, jnp.float32), jnp.asarray(rng.standard_normal((size, 3, 1)), jnp.float32)


solve = jax.jit(jnp.linalg.solve)


def bench_batched_solve(a, b):
    return solve(a, b)
