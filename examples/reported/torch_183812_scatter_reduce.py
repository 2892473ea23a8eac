"""A maximum scattered along the middle axis of a 3-D tensor.

Issue:    https://github.com/pytorch/pytorch/issues/183812
Versions: torch 2.12.0 -> 2.13.0 (nightlies of May 2026)
Reported: 15x to 58x
Old:      torch==2.12.0 numpy==2.2.6
New:      torch==2.13.0 numpy==2.2.6
Kind:     steady
Control:  not reproduced on two cores
"""

import torch

sizes = (16, 64)


def inputs(rng, size):
    target = torch.from_numpy(rng.standard_normal((size, 64, 128))).float()
    index = torch.from_numpy(rng.integers(0, 64, (size, 256, 128)))
    source = torch.from_numpy(rng.standard_normal((size, 256, 128))).float()
    return target, index, source


def bench_amax(target, index, source):
    return torch.scatter_reduce(target, 1, index, source, reduce="amax", include_self=False)


def bench_sum(target, index, source):
    return torch.scatter_reduce(target, 1, index, source, reduce="sum")


def bench_mean(target, index, source):
    return torch.scatter_reduce(target, 1, index, source, reduce="mean", include_self=False)
