"""Kernels of gradients, made from another kernel and not written: each library differentiates its own function.

A file a library: ``gradient(function, by, count)`` makes, of a kernel's function with ``count`` results, a function of
its inputs and then one cotangent for each result; its results are the gradients of Σ cotangent · result with respect to
the inputs at the places ``by``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from kernels.kernel import Derivation, Kernel

NO_DIFFERENTIATION = {
    "numpy": "NumPy differentiates nothing",
    "numba": "Numba differentiates nothing",
    "cupy": "CuPy differentiates nothing",
}


def gradient_of(
    kernel: Kernel,
    reference: Callable[..., Any],
    flops: Callable[[int], int],
    bytes: Callable[[int, int], int],
    by: Sequence[int],
    by_hand: Sequence[str] = (),
    **fields: Any,
) -> Kernel:
    """Return the kernel of another kernel's gradients, ``<name>_gradient``: reverse mode, forward pass included.

    Parameters
    ----------
    kernel
        What is differentiated; all of its results are numbers.
    reference
        ``reference(*inputs, *cotangents, **static)``: the formula by hand, in float64.
    flops, bytes
        As those of a kernel, of the forward and the backward pass together.
    by
        The places among the kernel's inputs of what it is differentiated by.
    by_hand
        Libraries that differentiate nothing and have the formula in their own file, under the kernel's name.
    fields
        Whatever else differs from the kernel.
    """
    without = {library: why for library, why in NO_DIFFERENTIATION.items() if library not in by_hand}

    def inputs(rng, size):
        """Return the kernel's inputs, and a normal cotangent of the shape of each result."""
        given = kernel.inputs(rng, size)
        results = kernel.reference(*given, **kernel.static(size, "float64"))
        results = results if isinstance(results, tuple) else (results,)
        return *given, *(rng.standard_normal(result.shape) for result in results)

    of = ", ".join(f"input {place + 1}" for place in by)
    made = {
        "name": f"{kernel.name}_gradient",
        "summary": f"gradients with respect to {of} of: {kernel.summary}",
        "inputs": inputs,
        "reference": reference,
        "flops": flops,
        "bytes": bytes,
        "unavailable": {**kernel.unavailable, **without},
        "results": ("number",) * len(by),
        "align": None,
        "residual": None,
        "derived": Derivation(kernel, tuple(by)),
        "tier": "full",
    }
    return replace(kernel, **made | fields)
