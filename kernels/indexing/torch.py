"""Indexing in PyTorch."""

import torch

from kernels.shared import bind

shared = bind(__name__, torch)

compress = shared.compress


def gather(x, places):
    """Of one axis."""
    return torch.index_select(x, 0, places)


def scatter_add(values, places):
    """Add every value, also where a place comes again."""
    return torch.zeros_like(values).index_add_(0, places, values)


def transpose(x):
    """Return a copy; x.T alone is a view."""
    return x.T.contiguous()


def compress_compiled(x, mask, count):
    """Through the places of the true elements, whose number the program must know."""
    return torch.index_select(x, 0, torch.nonzero_static(mask, size=count)[:, 0])
