"""Weighted geometric means of ratios over several things that were measured: kernels, by what they are to a reader.

The logarithm of the mean is Σ wᵢxᵢ / Σ wᵢ, xᵢ being the logarithms of the ratios and wᵢ the weights. Its interval is
one of two, and the number of rounds says which:

by rounds
    Where all have as many as `ROUNDS` rounds: the mean is formed within each round first, and its interval is Student's
    of how these means differ between rounds, as in `arrayspeed.decide.means`.
as one
    Where they have not: half its width is Σ wᵢmᵢ / Σ wᵢ, mᵢ being half the width of the interval of each. Errors that
    move together add like this, and no others add to more: the standard deviation of a sum is at most the sum of the
    standard deviations (Minkowski's inequality). Few rounds cannot show how much moves together, so no less is taken.

The report's page of weights computes the same from `Part`s that were written when the site was made.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from arrayspeed.decide.compare import Level, Ratio, difference, retaining, word
from arrayspeed.decide.effects import ratio_of
from arrayspeed.decide.student import quantile
from arrayspeed.decide.words import ERROR_RATE, FACTOR, SLOWER

#: Fewer rounds than this do not say how much their means differ: of two, the interval is 12.7 standard errors each way.
ROUNDS = 4

#: Rounds whose means agree to this (of logarithms) agree by chance, and do not show how much they differ.
EXACT = 1e-5

#: Who competes.
Name = TypeVar("Name", bound=Hashable)


@dataclass(frozen=True)
class Part:
    """The logarithm of one ratio.

    Attributes
    ----------
    shift
        The logarithm.
    margin, strict
        Half the width of its 95 % interval, and of the interval that words are decided by.
    rounds
        It round by round; empty where there are fewer than `ROUNDS`.
    """

    shift: float
    margin: float
    strict: float
    rounds: tuple[float, ...] = ()


def part(subject: Level, reference: Level, among: int = 1) -> Part:
    """Return the ratio of two levels whose processes ran in turn; ``among`` as in
    `arrayspeed.decide.compare.compare`.

    Where either takes another time where freed memory is retained, both halves reach as far as the ratio there does.
    """
    shift, margin, strict = difference(subject, reference, among=among)
    if again := retaining(subject, reference):
        other, *widths = difference(*again, among=among)
        margin, strict = (
            max(own, abs(other - shift) + wide) for own, wide in zip((margin, strict), widths, strict=True)
        )
        return Part(shift, margin, strict)
    count = min(len(subject.rounds), len(reference.rounds)) if bool(subject.met) == bool(reference.met) else 0
    pairs = zip(subject.rounds[:count], reference.rounds[:count], strict=True)
    return Part(shift, margin, strict, tuple(a - b for a, b in pairs) if count >= ROUNDS else ())


def quantiles(count: int, among: int) -> tuple[float, float]:
    """Return what standard errors of a mean of so many rounds are multiplied by: for the interval, and for the word."""
    return quantile(ERROR_RATE / 2, count - 1), quantile(ERROR_RATE / 2 / among, count - 1)


def combined(parts: Sequence[Part], weights: Sequence[float], among: int = 1) -> Part:
    """Return the weighted mean of some parts, as the module says.

    Raises
    ------
    ValueError
        No weight is above 0, or one is below.
    """
    if not parts or min(weights) < 0 or sum(weights) <= 0:
        raise ValueError("weights must not be negative, and one must be above 0")
    kept = [(one, weight) for one, weight in zip(parts, weights, strict=True) if weight]
    shares = np.array([weight for _, weight in kept]) / sum(weight for _, weight in kept)
    count = min(len(one.rounds) for one, _ in kept)
    if count >= ROUNDS:
        rounds = shares @ np.array([one.rounds[:count] for one, _ in kept])
        error = float(rounds.std(ddof=1)) / math.sqrt(count)
        if error > EXACT:
            usual, strict = quantiles(count, among)
            return Part(float(rounds.mean()), usual * error, strict * error, tuple(rounds))
    shift, margin, strict = shares @ np.array([(one.shift, one.margin, one.strict) for one, _ in kept])
    return Part(float(shift), float(margin), float(strict))


def weighted_mean(parts: Sequence[Part], weights: Sequence[float], factor: float = FACTOR, among: int = 1) -> Ratio:
    """Return the weighted geometric mean of ratios with its 95 % interval, and the word for it."""
    mean = combined(parts, weights, among)
    ratio, low, high = (ratio_of(mean.shift + side * mean.margin) for side in (0, -1, 1))
    return Ratio(ratio, low, high, word(mean.shift, mean.strict, factor))


def weighted_order(
    levels_of: Mapping[Name, Sequence[Level]],
    weights: Sequence[float],
    factor: float = FACTOR,
    among: int | None = None,
) -> dict[Name, tuple[Name, Part] | None]:
    """Return all by their weighted means, the fastest first; each with the fastest that it is shown to be slower than
    by the factor, and its mean over that one. None where it is shown to be slower than none.

    Parameters
    ----------
    levels_of
        Who competes -> the levels of all that has a weight, in the order of the weights.
    weights
        None below 0, one above.
    factor
        The ratio that somebody would act on.
    among
        The number of others that each is compared with, where that is more than there are here.
    """
    count = among or max(1, len(levels_of) - 1)
    means = {(name, name): Part(0.0, 0.0, 0.0) for name in levels_of}
    for one, other in itertools.combinations(levels_of, 2):
        pairs = zip(levels_of[one], levels_of[other], strict=True)
        mean = means[one, other] = combined([part(*pair, count) for pair in pairs], weights, count)
        means[other, one] = Part(-mean.shift, mean.margin, mean.strict)
    order = sorted(levels_of, key=lambda name: means[name, next(iter(levels_of))].shift)

    def behind(name: Name) -> tuple[Name, Part] | None:
        others = ((other, means[name, other]) for other in order)
        return next((one for one in others if word(one[1].shift, one[1].strict, factor) == SLOWER), None)

    return {name: behind(name) for name in order}
