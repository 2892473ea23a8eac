"""Parts of an ocean model in PyTorch."""

from functools import partial

import torch

from kernels.linalg.torch import tridiagonal_solve
from kernels.shared import bind

shared = bind(__name__, torch)

equation_of_state = shared.equation_of_state


def padded(field, widths):
    """PyTorch's own, whose widths begin with those of the last axis."""
    return torch.nn.functional.pad(field, [width for pair in reversed(widths) for width in pair])


def placed(like, parts):
    """Written into zeros: an array that is stacked and padded is copied twice."""
    return shared.written(like.new_zeros((*like.shape, 2, 2)), parts)


def isoneutral_mixing(*fields):
    """As most libraries write it, its slopes in place."""
    return shared.isoneutral_mixing(padded, placed, *fields)


def isoneutral_mixing_compiled(*fields):
    """As most libraries write it."""
    return shared.isoneutral_mixing(padded, partial(shared.stacked, padded), *fields)


def turbulent_kinetic_energy(u, *fields):
    """Solve the systems by elimination, as there is no routine; levels are counted where the fields are."""
    count = partial(torch.arange, device=u.device)
    return shared.turbulent_kinetic_energy(padded, tridiagonal_solve, count, u, *fields)
