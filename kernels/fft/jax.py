"""Fourier transforms in JAX."""

import jax.numpy as jnp


def fft(x):
    """All coefficients of a real vector."""
    return jnp.fft.fft(x)
