"""Reading and writing a short tensor through a tensor of indices, on one thread.

Issue:    https://github.com/pytorch/pytorch/issues/104028
Versions: torch 1.13.1 -> 2.0.1 (the oldest that CPython 3.11 can install; the report begins at 1.10)
Reported: 1.1x to 1.5x
Old:      torch==1.13.1 numpy==1.26.4
New:      torch==2.0.1 numpy==1.26.4
Kind:     steady
Kernels:  gather scatter_add
"""

import torch

torch.set_num_threads(1)

sizes = (100, 10_000)


def inputs(rng, size):
    table = torch.from_numpy(rng.standard_normal(size)).float()
    index = torch.from_numpy(rng.permutation(size))[:-1].contiguous()
    return table, index, table[:-1].clone()


def bench_write(table, index, values):
    table[index] = values
    return table


def bench_read(table, index, values):
    return table[index]
