"""Elementwise kernels in JAX."""

import jax.numpy as jnp


def add(a, b):
    """a + b."""
    return a + b


def multiply(a, b):
    """a · b."""
    return a * b


def sine(a):
    """sin(a)."""
    return jnp.sin(a)


def elementwise(a, b):
    """a + b, a · b, sin(a)."""
    return a + b, a * b, jnp.sin(a)
