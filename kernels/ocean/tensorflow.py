"""Parts of an ocean model in TensorFlow."""

from functools import partial

import tensorflow as tf

from kernels.names import tensorflow as xp
from kernels.shared import bind

shared = bind(__name__, xp)

equation_of_state = shared.equation_of_state


def isoneutral_mixing(*fields):
    """As most libraries write it."""
    return shared.isoneutral_mixing(tf.pad, partial(shared.stacked, tf.pad), *fields)


def solve(lower, diagonal, upper, right):
    """Without pivoting, which XLA has not."""
    diagonals = (upper, diagonal, lower)
    return tf.linalg.tridiagonal_solve(diagonals, right, diagonals_format="sequence", partial_pivoting=False)


def turbulent_kinetic_energy(*fields):
    """Solve the systems by TensorFlow's routine."""
    return shared.turbulent_kinetic_energy(tf.pad, solve, xp.arange, *fields)
