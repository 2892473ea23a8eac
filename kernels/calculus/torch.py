"""Derivatives in PyTorch: reverse mode."""

import torch

from kernels.shared import bind

shared = bind(__name__, torch)

polynomial = shared.polynomial


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


def derivative(x, order):
    """Differentiate ``order`` times. Elements do not mix, so the gradient of their sum is the derivative at each."""
    x = x.detach().requires_grad_()
    y = polynomial(x)
    for left in reversed(range(order)):
        (y,) = torch.autograd.grad(y.sum(), x, create_graph=left > 0)
    return y


def derivative1(x):
    """Return the first."""
    return derivative(x, 1)


def derivative2(x):
    """Return the second."""
    return derivative(x, 2)


def derivative3(x):
    """Return the third."""
    return derivative(x, 3)


first = torch.func.grad(polynomial)
second = torch.func.grad(first)
third = torch.func.grad(second)


def derivative1_compiled(x):
    """Return the first; the functional form, which compiles as one graph."""
    return torch.vmap(first)(x)


def derivative2_compiled(x):
    """Return the second."""
    return torch.vmap(second)(x)


def derivative3_compiled(x):
    """Return the third."""
    return torch.vmap(third)(x)


def logistic_loss(x, y, w):
    """Return the mean of log(1 + exp(−y·xw)). PyTorch's softplus is linear above 20, with no second derivative."""
    z = -y * (x @ w)
    return torch.logaddexp(torch.zeros_like(z), z).mean()


def hessian(x, y, w):
    """Forward over reverse mode."""
    return torch.func.hessian(logistic_loss, argnums=2)(x, y, w)
