"""A jitted function, its gradient, and NumPy's: `arrayspeed compare energy numpy-energy --file jax_example.py`."""

# /// script
# dependencies = ["jax", "numpy"]
# ///
import jax
import jax.numpy as jnp
import numpy as np

sizes = (1_000,)


def inputs(rng, size):
    return (rng.standard_normal((size, 3)).astype(np.float32),)


@jax.jit
def energy(x):
    return jnp.sum(jnp.sqrt(1 + jnp.sum(x**2, axis=1)))


slope = jax.jit(jax.grad(energy))


def bench_energy(x):
    return energy(x)


def bench_slope(x):
    return slope(x)


def bench_numpy_energy(x):
    return np.sum(np.sqrt(1 + np.sum(x**2, axis=1)))
