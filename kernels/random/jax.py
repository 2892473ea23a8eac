"""Random numbers in JAX: a function of a key. The same key gives the same numbers, so a new one comes with them."""

import jax


def normal(key, n, dtype):
    """Return standard normal numbers, the same at each call."""
    return jax.random.normal(key, (n,), dtype)


def normal_arguments(adapter, seed):
    """Return a key."""
    return (jax.device_put(jax.random.key(int(seed)), adapter.where),)


def normal_split(key, n, dtype):
    """Return standard normal numbers, and the key for the next."""
    key, subkey = jax.random.split(key)
    return jax.random.normal(subkey, (n,), dtype), jax.random.key_data(key)


normal_split_arguments = normal_arguments
