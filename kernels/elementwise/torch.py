"""Elementwise kernels in PyTorch."""

import torch


def add(a, b):
    """a + b."""
    return a + b


def multiply(a, b):
    """a · b."""
    return a * b


def sine(a):
    """sin(a)."""
    return torch.sin(a)


def elementwise(a, b):
    """a + b, a · b, sin(a)."""
    return a + b, a * b, torch.sin(a)
