"""How far a result is from the exact one: measures of which each gives one number, infinity where nothing is right."""

from __future__ import annotations

from typing import Any


def normwise_error(result: Any, reference: Any) -> float:
    """Largest error of any element, relative to the largest element of the reference.

    Elementwise relative error says nothing where the exact value is close to 0 (the sine of a multiple of π,
    most of a Fourier transform); this measure (Higham, Accuracy and Stability of Numerical Algorithms,
    2nd ed., chapter 6) does not have that flaw.
    """
    found = difference(result, reference)
    if found is None:
        return float("inf")
    error, exact = found
    scale = float(abs(exact).max(initial=0.0))
    return largest(error / scale if scale else error)


def mixed_error(result: Any, reference: Any) -> float:
    """Largest error of any element, relative to 1 plus its exact value: where one huge element hides all others."""
    found = difference(result, reference)
    if found is None:
        return float("inf")
    error, exact = found
    return largest(error / (1 + abs(exact)))


def share_of_mismatches(result: Any, reference: Any) -> float:
    """Share of the elements that are not exactly those of the reference: indices, counts, truth values."""
    import numpy as np

    reference, result = np.asarray(reference), np.asarray(result)
    if result.shape != reference.shape:
        return float("inf")
    return float(np.mean(result != reference)) if reference.size else 0.0


def difference(result: Any, reference: Any) -> tuple[Any, Any] | None:
    """Absolute errors, and the exact values; None where the shapes differ."""
    import numpy as np

    reference, result = np.asarray(reference), np.asarray(result)
    if result.shape != reference.shape:
        return None
    wide = result.astype(np.complex128 if np.iscomplexobj(result) else np.float64)
    exact = reference.astype(np.complex128 if np.iscomplexobj(reference) else np.float64)
    return abs(wide - exact), exact


def largest(errors: Any) -> float:
    """Return the largest; infinity where one is not a number: the result has one, or the reference."""
    error = float(errors.max(initial=0.0))
    return error if error == error else float("inf")
