"""Random numbers in MLX: a function of a key. The same key gives the same numbers, so a new one comes with them."""

import mlx.core as mx


def normal(key, n, dtype):
    """Return standard normal numbers, the same at each call."""
    return mx.random.normal((n,), getattr(mx, dtype), key=key)


def normal_arguments(adapter, seed):
    """Return a key, which is an array of two words."""
    key = mx.random.key(int(seed))
    mx.eval(key)
    return (key,)


def normal_split(key, n, dtype):
    """Return standard normal numbers, and the key for the next."""
    key, subkey = mx.random.split(key)
    return mx.random.normal((n,), getattr(mx, dtype), key=subkey), key


normal_split_arguments = normal_arguments
