"""Linear algebra in JAX."""

import jax
import jax.numpy as jnp

from kernels.shared import bind

shared = bind(__name__, jnp)

matmul = shared.matmul
matmul_transposed = shared.matmul_transposed
matvec = shared.matvec
batched_matmul = shared.batched_matmul
diagonal_shift = shared.diagonal_shift
small_solves = shared.small_solves
solve = shared.solve
qr = shared.qr
svd = shared.svd


def eigh(a):
    """Of a matrix that is symmetric as it is: JAX would make it so at every call."""
    return tuple(jnp.linalg.eigh(a, symmetrize_input=False))


def cholesky(a):
    """Return the lower factor of a matrix that is symmetric as it is."""
    return jax.lax.linalg.cholesky(a, symmetrize_input=False)


def tridiagonal_solve(lower, diagonal, upper, right):
    """LAPACK's on CPUs, cuSPARSE's on NVIDIA."""
    return jax.lax.linalg.tridiagonal_solve(lower, diagonal, upper, right[..., None])[..., 0]
