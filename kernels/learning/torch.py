"""Learning in PyTorch."""

import torch
from torch.nn import functional

from kernels.learning import EPSILON, STRIDE
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
    """Weights and bias one step on. PyTorch 2.11 takes no region that sees x and its transpose."""
    error = x @ w + b - y
    return w - step * (error @ x), b - step * error.sum()


def linear_regression_compiled(x, y, iterations, rate):
    """Weights and bias, all steps in one graph."""
    w, b = x.new_zeros(x.shape[1]), x.new_zeros(())
    for _ in range(iterations):
        w, b = descend(x, y, w, b, 2 * rate / len(y))
    return w, b


def softmax(x):
    """Of each row."""
    return torch.softmax(x, 1)


def layer_norm(x, scale, shift):
    """PyTorch's own."""
    return functional.layer_norm(x, scale.shape, scale, shift, EPSILON)


def cross_entropy(scores, classes):
    """PyTorch's own."""
    return functional.cross_entropy(scores, classes)


def attention(q, k, v):
    """PyTorch's own, which scales by the root of the depth."""
    return functional.scaled_dot_product_attention(q, k, v)


def conv2d(x, w):
    """On views of the images and filters in PyTorch's order of axes, which it calls channels last."""
    return functional.conv2d(x.permute(0, 3, 1, 2), w.permute(3, 2, 0, 1)).permute(0, 2, 3, 1).contiguous()


def conv_transpose1d(x, w):
    """PyTorch's own."""
    return functional.conv_transpose1d(x, w, stride=STRIDE)


def loss(weights, x, classes):
    """Mean cross-entropy of two layers."""
    w1, b1, w2, b2 = weights
    return functional.cross_entropy(torch.relu(x @ w1 + b1) @ w2 + b2, classes)


def mlp_training_step(x, classes, w1, b1, w2, b2):
    """Down the gradient, with leaves of each call's own."""
    weights = [weight.detach().requires_grad_() for weight in (w1, b1, w2, b2)]
    value = loss(weights, x, classes)
    slopes = torch.autograd.grad(value, weights)
    with torch.no_grad():
        return *(weight - slope for weight, slope in zip(weights, slopes, strict=True)), value.detach()


def mlp_training_step_compiled(x, classes, w1, b1, w2, b2):
    """Down the gradient; the functional form, which compiles as one graph."""
    weights = w1, b1, w2, b2
    slopes, value = torch.func.grad_and_value(loss)(weights, x, classes)
    return *(weight - slope for weight, slope in zip(weights, slopes, strict=True)), value


def pairwise_distances(x, y):
    """PyTorch's own: by a product of the two sets from 26 points on, which loses digits where points are close."""
    return torch.cdist(x, y)
