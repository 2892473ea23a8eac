"""A batch of 3x3 systems, and the gradient of their sum: 2.6 times slower from one minor release to the next.

On two cores neither is slower at 20,000 systems. With 30,000 systems, the gradient does not return in most processes
of 0.10.0 to 0.11.0, and did in all of 0.9.2, 0.11.1, 0.11.2 and 0.12.0.1 (docs/lab/2026-11-hang.md). The sizes
below stop before, so nothing can be found of that here: try larger ones with a time limit.

Issue:    https://github.com/jax-ml/jax/issues/36927
Versions: jax 0.9.2 -> 0.10.0
Reported: 2.6x (33 ms -> 87 ms), gradient 2.8x (57 ms -> 159 ms)
Old:      jax==0.9.2 jaxlib==0.9.2 numpy==2.2.6 scipy==1.15.3
New:      jax==0.10.0 jaxlib==0.10.0 numpy==2.2.6 scipy==1.15.3
Kind:     steady
Control:  not reproduced on two cores
"""

import jax
import jax.numpy as jnp
import numpy as np

sizes = (2_000, 20_000)


def inputs(rng, size):
    a = rng.standard_normal((size, 3, 3))
    a = a @ np.swapaxes(a, 1, 2) + 0.01 * np.eye(3)
    return jnp.asarray(a, jnp.float32), jnp.asarray(rng.standard_normal((size, 3, 1)), jnp.float32)


solve = jax.jit(jnp.linalg.solve)
slope = jax.jit(jax.grad(lambda a, b: jnp.linalg.solve(a, b).sum(), argnums=(0, 1)))


def bench_solve(a, b):
    return solve(a, b)


def bench_solve_gradient(a, b):
    return slope(a, b)
