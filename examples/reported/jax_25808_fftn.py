"""A three-dimensional complex FFT: slower with the new CPU runtime.

Issue:    https://github.com/jax-ml/jax/issues/25808
Versions: jax 0.4.31 -> 0.4.38
Reported: several times slower (24 ms with the old runtime at 200^3 on many cores)
Old:      jax==0.4.31 jaxlib==0.4.31 numpy==2.0.2 scipy==1.14.1
New:      jax==0.4.38 jaxlib==0.4.38 numpy==2.0.2 scipy==1.14.1
Kind:     steady
Kernels:  fft3
"""

import jax
import jax.numpy as jnp

sizes = (32, 128)


def inputs(rng, size):
    shape = (size, size, size)
    return (jnp.asarray(rng.standard_normal(shape) + 1j * rng.standard_normal(shape), jnp.complex64),)


transform = jax.jit(jnp.fft.fftn)


def bench_fftn(x):
    return transform(x)
