"""Weighted geometric means of ratios over several things that were measured: kernels, by what they are to a reader.

The logarithm of the mean is Σ wᵢxᵢ / Σ wᵢ, xᵢ being the logarithms of the ratios and wᵢ the weights. Its interval is
one of three, by how the two sides were measured:

in turn
    Where they took turns in each, in blocks of their own: the variance is Σ Σ wᵢwⱼrᵢⱼsᵢsⱼ / (Σ wᵢ)², sᵢ being the
    standard error of each and rᵢⱼ 1 for i = j and `SHARED` else. Its degrees of freedom are Satterthwaite's ("An
    approximate distribution of estimates of variance components", 1946).
by rounds
    Else, where all have as many as `ROUNDS` rounds: the mean is formed within each round first, and its interval is
    Student's of how these means differ between rounds, as in `arrayspeed.decide.means`.
as one
    Else: half its width is Σ wᵢmᵢ / Σ wᵢ, mᵢ being half the width of the interval of each. Errors that
    move together add like this, and no others add to more: the standard deviation of a sum is at most the sum of the
    standard deviations (Minkowski's inequality). Few rounds cannot show how much moves together, so no less is taken.

Where either side takes another time where freed memory is retained, the mean is formed in both states, and the interval
encloses both.

The report's page of weights computes the same from `Part`s that were written when the site was made.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from arrayspeed.decide.compare import Level, Ratio, difference, have_met, margins, retaining, word
from arrayspeed.decide.effects import ratio_of
from arrayspeed.decide.words import FACTOR, SLOWER

#: Fewer rounds than this do not say how much their means differ: of two, the interval is 12.7 standard errors each way.
ROUNDS = 4

#: Rounds whose means agree to this (of logarithms) agree by chance, and do not show how much they differ.
EXACT = 1e-5

#: How much the errors of two ratios move together that come from blocks of their own. A family's move together by 0.05,
#: but have longer tails than a normal distribution; with this, intervals hold as often as they say
#: (docs/lab/2026-11-backends.md).
SHARED = 0.5

#: Degrees of freedom that are as good as infinitely many.
MOST = 1000.0

#: Who competes.
Name = TypeVar("Name", bound=Hashable)

#: The ends of an interval.
Interval = tuple[float, float]


@dataclass(frozen=True)
class Part:
    """The logarithm of one ratio.

    Attributes
    ----------
    shift
        The logarithm.
    error, freedom
        Its standard error, and the degrees of freedom of that.
    in_turn
        Whether the two took turns.
    retained
        The same where processes retain freed memory, if either takes another time there.
    rounds
        It round by round; empty where there are fewer than `ROUNDS`, or the two took turns.
    """

    shift: float
    error: float
    freedom: float
    in_turn: bool = False
    retained: Part | None = None
    rounds: tuple[float, ...] = ()


@dataclass(frozen=True)
class Mean:
    """The logarithm of a mean: its 95 % interval, and the interval that words are decided by."""

    shift: float
    interval: Interval
    strict: Interval

    def inverse(self) -> Mean:
        """Return that of the inverse ratio."""
        return Mean(-self.shift, *((-high, -low) for low, high in (self.interval, self.strict)))

    def word(self, factor: float) -> str:
        """Return what it shows."""
        return word(*self.strict, factor)


def part(subject: Level, reference: Level) -> Part:
    """Return the ratio of two levels."""
    again = retaining(subject, reference)
    retained = part(*again) if again else None
    shift, error, freedom = difference(subject, reference)
    if have_met(subject, reference):
        return Part(shift, error, freedom, True, retained)
    count = 0 if subject.met or reference.met else min(len(subject.rounds), len(reference.rounds))
    pairs = zip(subject.rounds[:count], reference.rounds[:count], strict=True)
    rounds = tuple(a - b for a, b in pairs) if count >= ROUNDS else ()
    return Part(shift, error, freedom, rounds=rounds)


def mean(parts: Sequence[Part], weights: Sequence[float], among: int = 1) -> Mean:
    """Return the weighted mean of some parts, as the module says. Its word is one of ``among``.

    Raises
    ------
    ValueError
        No weight is above 0, or one is below.
    """
    if not parts or min(weights) < 0 or sum(weights) <= 0:
        raise ValueError("weights must not be negative, and one must be above 0")
    kept = [one for one, weight in zip(parts, weights, strict=True) if weight]
    shares = np.array([weight for weight in weights if weight]) / sum(weights)
    states = [kept]
    if any(one.retained for one in kept):
        states.append([one.retained or one for one in kept])
    found = [in_one_state(state, shares, among) for state in states]
    interval, strict = (
        (min(shift - each[place] for shift, each in found), max(shift + each[place] for shift, each in found))
        for place in (0, 1)
    )
    return Mean(found[0][0], interval, strict)


def in_one_state(parts: Sequence[Part], shares: np.ndarray, among: int) -> tuple[float, tuple[float, float]]:
    """Return the mean, and half the widths of its two intervals, of shares that add up to 1."""
    shift = float(shares @ [one.shift for one in parts])
    if all(one.in_turn for one in parts):
        return shift, margins(*added(parts, shares), among)
    count = min(len(one.rounds) for one in parts)
    if count >= ROUNDS:
        rounds = shares @ np.array([one.rounds[:count] for one in parts])
        error = float(rounds.std(ddof=1)) / math.sqrt(count)
        if error > EXACT:
            return float(rounds.mean()), margins(error, count - 1, among)
    each = np.array([margins(one.error, min(one.freedom, MOST), among) for one in parts])
    usual, strict = (float(half) for half in shares @ each)
    return shift, (usual, strict)


def added(parts: Sequence[Part], shares: np.ndarray) -> tuple[float, float]:
    """Return the standard error of a mean of ratios from blocks of their own, and its degrees of freedom."""
    errors = shares * [one.error for one in parts]
    terms = errors * ((1 - SHARED) * errors + SHARED * errors.sum())
    variance = float(terms.sum())
    if not variance:
        return 0.0, MOST
    freedom = variance**2 / float((terms**2 / [min(one.freedom, MOST) for one in parts]).sum())
    return math.sqrt(variance), min(freedom, MOST)


def weighted_mean(parts: Sequence[Part], weights: Sequence[float], factor: float = FACTOR, among: int = 1) -> Ratio:
    """Return the weighted geometric mean of ratios with its 95 % interval, and the word for it."""
    found = mean(parts, weights, among)
    ratio, low, high = map(ratio_of, (found.shift, *found.interval))
    return Ratio(ratio, low, high, found.word(factor))


def weighted_order(
    levels_of: Mapping[Name, Sequence[Level]],
    weights: Sequence[float],
    factor: float = FACTOR,
    among: int | None = None,
) -> dict[Name, tuple[Name, Mean] | None]:
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
    means = {(name, name): Mean(0.0, (0.0, 0.0), (0.0, 0.0)) for name in levels_of}
    for one, other in itertools.combinations(levels_of, 2):
        pairs = zip(levels_of[one], levels_of[other], strict=True)
        means[one, other] = mean([part(*pair) for pair in pairs], weights, count)
        means[other, one] = means[one, other].inverse()
    order = sorted(levels_of, key=lambda name: means[name, next(iter(levels_of))].shift)

    def behind(name: Name) -> tuple[Name, Mean] | None:
        others = ((other, means[name, other]) for other in order)
        return next((one for one in others if one[1].word(factor) == SLOWER), None)

    return {name: behind(name) for name in order}
