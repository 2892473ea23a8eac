"""Products in half precision on a CPU without such arithmetic: attention's shapes, and square ones.

Issue:    https://github.com/pytorch/pytorch/issues/162683, also 159551 and 146508
Versions: torch 2.4.1 -> 2.9.1 (the reports are of nightlies of 2.9 and 2.10, and of 2.5 to 2.10)
Reported: 5x and more between nightlies; 40x to 500x slower than float32
Old:      torch==2.4.1 numpy==1.26.4
New:      torch==2.9.1 numpy==2.2.6
Kind:     steady
Control:  hardly reproduced on two cores
"""

import torch

sizes = (10, 200)


def inputs(rng, size):
    a = torch.from_numpy(rng.uniform(-1, 1, (1, 12, 10, 64))).half()
    square = torch.from_numpy(rng.uniform(-1, 1, (size, size)))
    return a, a.transpose(-1, -2).contiguous(), square.half(), square.bfloat16()


def bench_scores_half(a, b, half, brain):
    return torch.matmul(a, b)


def bench_values_half(a, b, half, brain):
    return torch.matmul(torch.matmul(a, b), a)


def bench_square_half(a, b, half, brain):
    return half @ half


def bench_square_bfloat16(a, b, half, brain):
    return brain @ brain
