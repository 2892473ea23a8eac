"""Student's t from SciPy's special functions, a hundred times as fast as its distribution objects."""

from __future__ import annotations

import math

from scipy.special import ndtr, ndtri, stdtr, stdtrit


def tail(value: float, freedom: float) -> float:
    """Return the chance of more than ``value``; infinitely many degrees of freedom make it normal."""
    return float(stdtr(freedom, -value) if math.isfinite(freedom) else ndtr(-value))


def density(value: float, freedom: float) -> float:
    """Return the density at ``value``."""
    if not math.isfinite(freedom):
        return math.exp(-value * value / 2) / math.sqrt(2 * math.pi)
    scale = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(freedom * math.pi)
    return float(scale * (1 + value * value / freedom) ** (-(freedom + 1) / 2))


def quantile(share: float, freedom: float) -> float:
    """Return the value that is exceeded with a chance of ``share``."""
    return -float(stdtrit(freedom, share) if math.isfinite(freedom) else ndtri(share))
