"""Derivatives in JAX: reverse mode."""

import jax
import jax.numpy as jnp


def loss(w, x):
    """Σ(wᵢxᵢ)²."""
    return jnp.sum((w * x) ** 2)


def gradient(w, x):
    """With respect to w."""
    return jax.grad(loss)(w, x)
