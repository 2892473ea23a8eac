"""A small index_add_ and a batch of matrix products that are added to (isolated cases of the operator benchmark).

Issue:    https://github.com/pytorch/pytorch/issues/189283
Versions: torch 2.9.1 -> 2.13.0 (between November 2025 and July 2026)
Reported: 2.4x and 2.0x, with low confidence
Old:      torch==2.9.1 numpy==2.2.6
New:      torch==2.13.0 numpy==2.2.6
Kind:     steady
Control:  not reproduced on two cores
"""

import torch

sizes = (128,)


def inputs(rng, size):
    def tensor(*shape):
        return torch.from_numpy(rng.standard_normal(shape)).float()

    index = torch.from_numpy(rng.permutation(8))
    return tensor(8, 32, 1), index, tensor(8, 32, 1), tensor(size, 64, 32), tensor(size, 64, 64), tensor(size, 64, 32)


def bench_index_add(target, index, source, c, a, b):
    return target.index_add_(0, index, source, alpha=0.0)


def bench_baddbmm(target, index, source, c, a, b):
    return torch.baddbmm(c, a, b)
