"""Fourier transforms in PyTorch."""

import torch


def fft(x):
    """All coefficients of a real vector."""
    return torch.fft.fft(x)
