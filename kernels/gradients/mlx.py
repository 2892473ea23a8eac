"""Gradients in MLX: ``mx.vjp``."""

import mlx.core as mx

from kernels.gradients.places import replaced


def gradient(function, by, count):
    """Reverse mode, eager or compiled."""

    def made(*arguments, **static):
        inputs, cotangents = arguments[:-count], arguments[-count:]

        def chosen(*arrays):
            return function(*replaced(inputs, by, arrays), **static)

        _, found = mx.vjp(chosen, [inputs[place] for place in by], list(cotangents))
        # The gradient of a transpose is the transpose of a gradient, and may be a view of it.
        found = [mx.contiguous(array) for array in found]
        return tuple(found) if len(by) > 1 else found[0]

    return made
