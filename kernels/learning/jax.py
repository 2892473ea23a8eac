"""Learning in JAX."""

import jax
import jax.numpy as jnp

from kernels.shared import bind

shared = bind(__name__, jnp)

selu = shared.selu


def descend(x, y, w, b, rate):
    """Weights and bias one step on."""
    error = x @ w + b - y
    step = 2 * rate / y.size
    # XLA on a CPU takes five times as long for x.T @ error.
    return w - step * (error @ x), b - step * error.sum()


def linear_regression(x, y, iterations, rate):
    """Weights and bias, an operation at a time."""
    w, b = jnp.zeros_like(x, shape=x.shape[1]), jnp.zeros_like(x, shape=())
    for _ in range(iterations):
        w, b = descend(x, y, w, b, rate)
    return w, b


def linear_regression_compiled(x, y, iterations, rate):
    """Weights and bias, the loop in the program: unrolled it would take long to compile."""
    start = jnp.zeros_like(x, shape=x.shape[1]), jnp.zeros_like(x, shape=())
    return jax.lax.fori_loop(0, iterations, lambda _, now: descend(x, y, *now, rate), start)
