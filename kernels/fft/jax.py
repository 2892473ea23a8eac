"""Fourier transforms in JAX."""

import jax.numpy as jnp

from kernels.shared import bind

shared = bind(__name__, jnp)

fft = shared.fft
rfft = shared.rfft
fft2 = shared.fft2
fft3 = shared.fft3
