"""Linear algebra in TensorFlow."""

import tensorflow as tf

from kernels.names import tensorflow as xp
from kernels.shared import bind

shared = bind(__name__, xp)

matmul = shared.matmul
batched_matmul = shared.batched_matmul
diagonal_shift = shared.diagonal_shift
small_solves = shared.small_solves
qr = shared.qr
eigh = shared.eigh
cholesky = shared.cholesky


def matmul_transposed(x):
    """x · xᵀ, without a transposed copy."""
    return tf.matmul(x, x, transpose_b=True)


def matvec(a, x):
    """Return a · x: TensorFlow's @ takes matrices only."""
    return tf.linalg.matvec(a, x)


def solve(a, b):
    """By LU factors, of a right side that is a matrix."""
    return tf.linalg.solve(a, b[:, None])[:, 0]


def svd(a):
    """Thin; TensorFlow has the values first, and V in place of Vᵀ."""
    s, u, v = tf.linalg.svd(a)
    return u, s, tf.transpose(v)


def tridiagonal_solve(lower, diagonal, upper, right):
    """Without pivoting, which XLA has not: the systems need none."""
    diagonals = (upper, diagonal, lower)
    return tf.linalg.tridiagonal_solve(diagonals, right, diagonals_format="sequence", partial_pivoting=False)
