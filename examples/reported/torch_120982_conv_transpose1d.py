"""A transposed 1-D convolution with a long kernel and a stride (an inverse short-time Fourier transform).

Issue:    https://github.com/pytorch/pytorch/issues/120982
Versions: torch 2.1.2 -> 2.2.1 (-> 2.4.0)
Reported: 8x to 1000x
Old:      torch==2.1.2 numpy==1.26.4
New:      torch==2.2.1 numpy==1.26.4
Fixed:    torch==2.4.1 numpy==1.26.4
Kind:     steady
Kernels:  conv_transpose1d_float32
"""

import torch

sizes = (32, 224)  # frames


def inputs(rng, size):
    frames = torch.from_numpy(rng.standard_normal((1, 514, size))).float()
    weight = torch.from_numpy(rng.standard_normal((514, 1, 512))).float()
    return frames, weight


def bench_conv_transpose1d(frames, weight):
    with torch.no_grad():
        return torch.nn.functional.conv_transpose1d(frames, weight, stride=128)
