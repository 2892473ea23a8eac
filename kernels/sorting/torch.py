"""Sorting in PyTorch."""

import torch

from kernels.shared import bind

shared = bind(__name__, torch)

argsort = shared.argsort
argsort_sorted = shared.argsort_sorted
searchsorted = shared.searchsorted


def sort(x):
    """Ascending; PyTorch computes the indices too, and they are dropped."""
    return torch.sort(x).values


def lexsort(keys):
    """Return a stable sort by each key in turn, the last one last."""
    places = torch.argsort(keys[0], stable=True)
    for key in keys[1:]:
        places = places[torch.argsort(key[places], stable=True)]
    return places


def top_k(x, k):
    """PyTorch's own."""
    return torch.topk(x, k)
