"""Linear algebra in JAX."""

import jax.numpy as jnp

from kernels.shared import bind

shared = bind(__name__, jnp)

matmul = shared.matmul
matmul_transposed = shared.matmul_transposed
