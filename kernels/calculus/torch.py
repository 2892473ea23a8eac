"""Derivatives in PyTorch: reverse mode."""

import torch


def loss(w, x):
    """Σ(wᵢxᵢ)²."""
    return ((w * x) ** 2).sum()


def gradient(w, x):
    """With respect to w, as a leaf of its own: no gradient accumulates from call to call."""
    w = w.detach().requires_grad_()
    (result,) = torch.autograd.grad(loss(w, x), w)
    return result


def gradient_compiled(w, x):
    """With respect to w; the functional form, which compiles as one graph."""
    return torch.func.grad(loss)(w, x)
