"""A comparison's ratio and its noise, each robust against processes that met a bad spell of the machine.

The centre is the mean without the lowest and the highest eighth, and its error comes from the variance in which those
eighths are moved to the nearest value that stays: Tukey and McLaughlin, "Less vulnerable confidence and significance
procedures for location based on a single sample", 1963; for two samples Yuen, "The two-sample trimmed t for unequal
population variances", 1974. Fewer than eight values are too few to leave any out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import polygamma

from arrayspeed.decide.observed import Observed

#: The share that is left out at each end, from so many values on.
TRIM, ENOUGH_TO_TRIM = 1 / 8, 8

#: Values that agree to this (relative, of logarithms) agree exactly: what is left is rounding.
ROUNDING = 1e-12

#: A root is found when a step is shorter than this share of it.
CLOSE = 1e-12

#: No logarithm of a ratio is larger.
LARGEST = 700.0


@dataclass(frozen=True)
class Effect:
    """The logarithm of a ratio, before its noise is known better.

    Attributes
    ----------
    shift
        The logarithm of subject over reference.
    variance, count
        The variance of ``shift`` is ``variance / count``; ``variance`` is that of one pair of processes.
    freedom
        Degrees of freedom of a t of ``shift`` over its standard error.
    worth
        Degrees of freedom of ``variance`` as an estimate.
    paired
        Whether the sides met in rounds.
    extra
        Further variance of ``shift``, known and not estimated.
    """

    shift: float
    variance: float
    count: float
    freedom: float
    worth: float
    paired: bool = True
    extra: float = 0.0


def ratio_of(shift: float) -> float:
    """Return the ratio whose logarithm this is, kept within what a float can hold."""
    return math.exp(min(max(shift, -LARGEST), LARGEST))


def trimmed(count: int) -> int:
    """Return how many values are left out at each end."""
    return int(TRIM * count) if count >= ENOUGH_TO_TRIM else 0


def centre(values: Sequence[float]) -> tuple[float, float, float]:
    """Trimmed mean; the variance of one value, for which the variance of that mean is ``variance / len(values)``; and
    the degrees of freedom of a t of the two.
    """
    if len(values) < ENOUGH_TO_TRIM:
        return plain(values)
    ordered = np.sort(np.asarray(values, dtype=float))
    count, cut = len(ordered), trimmed(len(ordered))
    kept = ordered[cut : count - cut]
    share = len(kept) / count
    moved = np.clip(ordered, kept[0], kept[-1])
    spread = float(moved.var(ddof=1)) / share**2
    return float(kept.mean()), beyond_rounding(spread, float(np.abs(ordered).max())), float(len(kept) - 1)


def plain(values: Sequence[float]) -> tuple[float, float, float]:
    """`centre` of few values, ten times as fast without an array."""
    count = len(values)
    middle = math.fsum(values) / count
    spread = math.fsum((value - middle) ** 2 for value in values) / (count - 1) if count > 1 else 0.0
    return middle, beyond_rounding(spread, max(map(abs, values))), float(count - 1)


def beyond_rounding(spread: float, largest: float) -> float:
    """Return a variance; 0 where it is nothing but rounding."""
    return 0.0 if spread <= (ROUNDING * max(1.0, largest)) ** 2 else spread


@lru_cache
def worth(count: int) -> float:
    """Degrees of freedom that the variance of `centre` is worth as an estimate, under normal noise.

    More than those of its t where values are trimmed, and known from no formula: from 20,000 draws, always the same.
    """
    if not trimmed(count):
        return count - 1.0
    draws = np.sort(np.random.default_rng(count).standard_normal((20_000, count)), axis=1)
    cut = trimmed(count)
    moved = np.clip(draws, draws[:, [cut]], draws[:, [count - cut - 1]])
    return 2 * inverse_trigamma(float(np.log(moved.var(axis=1, ddof=1)).var()))


def inverse_trigamma(value: float) -> float:
    """Return the number whose trigamma is ``value``, above 0.

    Newton's method on 1/trigamma, which is nearly a straight line and convex, so that it comes from one side: Smyth
    (2004), appendix (see `arrayspeed.decide.prior`).
    """
    found = 0.5 + 1 / value
    while True:
        here = float(polygamma(1, found))
        step = here * (1 - here / value) / float(polygamma(2, found))
        found += step
        if -step <= CLOSE * found:
            return found


def effect(observed: Observed) -> Effect | None:
    """Return the effect of a comparison; None where it has too few processes to say anything.

    Sides that met in rounds are compared pair by pair. Sides that never met are compared as two samples, with
    ``extra`` on top.
    """
    differences = observed.differences()
    if len(differences) >= 2:
        shift, variance, freedom = centre(differences)
        return Effect(shift, variance, len(differences), freedom, worth(len(differences)), extra=observed.extra**2)
    if len(differences) == 1:
        return None
    return unpaired(observed)


def unpaired(observed: Observed) -> Effect | None:
    """Two samples: Welch's degrees of freedom, of Yuen's trimmed variances."""
    sides = [observed.logarithms(side) for side in (observed.reference, observed.subject)]
    if not all(sides) or (observed.known is None and min(map(len, sides)) < 2):
        return None
    shift, parts, extra = 0.0, [], observed.extra**2
    for sign, values in zip((-1, 1), sides, strict=True):
        if len(values) == 1 and observed.known is not None:  # nothing of its own: what is known of such processes
            shift += sign * values[0]
            extra += observed.known**2
        else:
            middle, variance, freedom = centre(values)
            shift += sign * middle
            parts.append((variance / len(values), freedom, worth(len(values))))
    total = sum(part for part, *_ in parts)
    count = 1 / sum(1 / len(values) for values in sides)
    if not total:
        return Effect(shift, 0.0, count, max(sum(part[1] for part in parts), 1.0), 1.0, False, extra)
    freedom, value = (total**2 / sum(part[0] ** 2 / part[n] for part in parts) for n in (1, 2))
    return Effect(shift, total * count, count, freedom, value, False, extra)
