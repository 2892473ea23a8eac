"""Derivatives in JAX: reverse mode."""

import jax
import jax.numpy as jnp

from kernels.shared import bind

shared = bind(__name__, jnp)

polynomial = shared.polynomial


def loss(w, x):
    """Σ(wᵢxᵢ)²."""
    return jnp.sum((w * x) ** 2)


def gradient(w, x):
    """With respect to w."""
    return jax.grad(loss)(w, x)


first = jax.grad(polynomial)
second = jax.grad(first)
third = jax.grad(second)


def derivative1(x):
    """Return the first, of one number, mapped over the elements."""
    return jax.vmap(first)(x)


def derivative2(x):
    """Return the second, of one number, mapped over the elements."""
    return jax.vmap(second)(x)


def derivative3(x):
    """Return the third, of one number, mapped over the elements."""
    return jax.vmap(third)(x)


def logistic_loss(x, y, w):
    """Return the mean of log(1 + exp(−y·xw))."""
    return jnp.mean(jnp.logaddexp(0, -y * (x @ w)))


def hessian(x, y, w):
    """Forward over reverse mode."""
    return jax.hessian(logistic_loss, argnums=2)(x, y, w)
