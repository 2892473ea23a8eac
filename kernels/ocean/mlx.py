"""Parts of an ocean model in MLX."""

from functools import partial

import mlx.core as mx

from kernels.linalg.mlx import tridiagonal_solve
from kernels.shared import bind

shared = bind(__name__, mx)

equation_of_state = shared.equation_of_state


def isoneutral_mixing(*fields):
    """As most libraries write it."""
    return shared.isoneutral_mixing(mx.pad, partial(shared.stacked, mx.pad), *fields)


def turbulent_kinetic_energy(*fields):
    """Solve the systems by elimination, as there is no routine."""
    return shared.turbulent_kinetic_energy(mx.pad, tridiagonal_solve, mx.arange, *fields)
