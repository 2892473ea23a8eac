"""Learning in JAX."""

import jax
import jax.numpy as jnp

from kernels.learning import STRIDE
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


layer_norm = shared.layer_norm
attention = shared.attention
pairwise_distances = shared.pairwise_distances


def softmax(x):
    """Along the last axis."""
    return jax.nn.softmax(x)


def cross_entropy(scores, classes):
    """By the logarithm of the softmax, which is one function in JAX."""
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(scores), classes[:, None], axis=1))


def conv2d(x, w):
    """Channels last, as the images are."""
    return jax.lax.conv_general_dilated(x, w, (1, 1), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC"))


def conv_transpose1d(x, w):
    """Transposed: filters as PyTorch has them, turned round."""
    return jax.lax.conv_transpose(
        x, w, (STRIDE,), "VALID", dimension_numbers=("NCH", "OIH", "NCH"), transpose_kernel=True
    )


def loss(weights, x, classes):
    """Mean cross-entropy of two layers."""
    w1, b1, w2, b2 = weights
    return cross_entropy(jax.nn.relu(x @ w1 + b1) @ w2 + b2, classes)


def mlp_training_step(x, classes, w1, b1, w2, b2):
    """Down the gradient."""
    weights = w1, b1, w2, b2
    value, slopes = jax.value_and_grad(loss)(weights, x, classes)
    return *(weight - slope for weight, slope in zip(weights, slopes, strict=True)), value
