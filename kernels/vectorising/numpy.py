"""A batch in NumPy."""

import numpy as np


def layer(x, w, b):
    """A dense layer on one example."""
    return np.tanh(w @ x + b)


#: A loop in Python behind the signature: there is no vectorising map in NumPy.
vmap_mapped = np.vectorize(layer, signature="(d),(m,d),(m)->(m)")


def vmap_vectorised(x, w, b):
    """A dense layer on a batch."""
    return np.tanh(x @ w.T + b)


def vmap_loop(x, w, b):
    """One example at a time."""
    return np.stack([layer(example, w, b) for example in x])
