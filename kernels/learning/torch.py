"""Learning in PyTorch."""

import torch

from kernels.shared import bind

shared = bind(__name__, torch)

selu = shared.selu


def linear_regression(x, y, iterations, rate):
    """Weights and bias, in place; the gradient is known, so autograd has no part in it."""
    w, b = x.new_zeros(x.shape[1]), x.new_zeros(())
    step = 2 * rate / len(y)
    for _ in range(iterations):
        error = (x @ w).add_(b).sub_(y)
        w.sub_(error @ x, alpha=step)  # addmv_ is no faster, and loses two digits in float32
        b.sub_(error.sum(), alpha=step)
    return w, b


# Compiled once and called by the graph at every step: inlined, a hundred steps take most of a minute to compile.
# PyTorch before 2.8 inlines.
@getattr(torch.compiler, "nested_compile_region", lambda function: function)
def descend(x, y, w, b, step):
    """Weights and bias one step on."""
    error = x @ w + b - y
    return w - step * (x.T @ error), b - step * error.sum()


def linear_regression_compiled(x, y, iterations, rate):
    """Weights and bias, all steps in one graph."""
    w, b = x.new_zeros(x.shape[1]), x.new_zeros(())
    for _ in range(iterations):
        w, b = descend(x, y, w, b, 2 * rate / len(y))
    return w, b
