"""A batch in Numba."""

import numpy as np
from numba import guvectorize, njit


@guvectorize("(d),(m,d),(m)->(m)", nopython=True)
def mapped(x, w, b, out):
    """Apply a dense layer to one example; the signature maps it over a batch. Compiled at the first call."""
    for i in range(w.shape[0]):
        total = b[i]
        for j in range(x.shape[0]):
            total += w[i, j] * x[j]
        out[i] = np.tanh(total)


def vmap_mapped(x, w, b):
    """Map over a batch; Numba does not make the output of a function that it compiles at the first call."""
    out = np.empty((x.shape[0], w.shape[0]), x.dtype)
    mapped(x, w, b, out)
    return out


@njit
def vmap_vectorised(x, w, b):
    """Apply a dense layer to a batch."""
    return np.tanh(x @ w.T + b)


@njit
def vmap_loop(x, w, b):
    """One example at a time."""
    out = np.empty((x.shape[0], w.shape[0]), x.dtype)
    for i in range(x.shape[0]):
        out[i] = np.tanh(w @ x[i] + b)
    return out
