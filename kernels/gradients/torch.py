"""Gradients in PyTorch: ``torch.autograd.grad``, and the functional form where they are compiled."""

import torch

from kernels.gradients.places import replaced


def gradient(function, by, count):
    """Reverse mode with leaves of each call's own: no gradient accumulates from call to call."""

    def made(*arguments, **static):
        inputs, cotangents = arguments[:-count], arguments[-count:]
        leaves = [inputs[place].detach().requires_grad_() for place in by]
        outputs = function(*replaced(inputs, by, leaves), **static)
        pairs = zip((outputs,) if count == 1 else outputs, cotangents, strict=True)
        # Autograd refuses results that do not depend on the leaves.
        dependent, directions = zip(*(pair for pair in pairs if pair[0].requires_grad), strict=True)
        found = contiguous(torch.autograd.grad(dependent, leaves, directions))
        return found if len(by) > 1 else found[0]

    return made


def gradient_compiled(function, by, count):
    """Reverse mode as one graph."""

    def made(*arguments, **static):
        inputs, cotangents = arguments[:-count], arguments[-count:]

        def chosen(*arrays):
            return function(*replaced(inputs, by, arrays), **static)

        _, back = torch.func.vjp(chosen, *[inputs[place] for place in by])
        found = contiguous(back(cotangents if count > 1 else cotangents[0]))
        return found if len(by) > 1 else found[0]

    return made


def contiguous(arrays):
    """Arrays that are whole: the gradient of a transpose is the transpose of a gradient, and may be a view of it."""
    return tuple(array.contiguous() for array in arrays)
