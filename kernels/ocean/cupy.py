"""Parts of an ocean model in CuPy."""

from functools import partial

import cupy as cp

from kernels.linalg.cupy import tridiagonal_solve
from kernels.shared import bind

shared = bind(__name__, cp)

equation_of_state = shared.equation_of_state


def isoneutral_mixing(*fields):
    """As most libraries write it."""
    return shared.isoneutral_mixing(cp.pad, partial(shared.stacked, cp.pad), *fields)


def turbulent_kinetic_energy(*fields):
    """Solve the systems by elimination, as there is no routine."""
    return shared.turbulent_kinetic_energy(cp.pad, tridiagonal_solve, cp.arange, *fields)
