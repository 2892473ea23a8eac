"""A word, an interval and a bound for each comparison, decided over all of them together.

slower, faster
    The ratio is shown to be beyond the factor: McCarthy and Smyth, "Testing significance relative to a fold-change
    threshold is a TREAT", 2009.
same
    It is shown to be within the factor, by two one-sided tests: Schuirmann, "A comparison of the two one-sided tests
    procedure and the power approach for assessing the equivalence of average bioavailability", 1987.
negligible
    It is not, and the difference is shown to be smaller than any that matters.
not slower
    It is shown to be below the factor, and may be any less: non-inferiority, one-sided.
unclear
    None of these was shown.

Whatever the word, a comparison is *bounded* where its ratio is shown to be below a limit, by the same one-sided test:
all that a gate asks. Of many comparisons some would be called one or the other by chance: Benjamini and
Hochberg, "Controlling the false discovery rate", 1995, over all comparisons, for each of these questions. The intervals
of what is reported as changed are wider for having been chosen: Benjamini and Yekutieli, "False discovery rate-adjusted
multiple confidence intervals for selected parameters", 2005; so are the bounds, which are below the limit for just
those that are bounded.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from arrayspeed.decide.discovery import adjusted
from arrayspeed.decide.effects import Effect, effect, ratio_of
from arrayspeed.decide.failures import judge_failures
from arrayspeed.decide.observed import Observed
from arrayspeed.decide.prior import Prior, prior
from arrayspeed.decide.student import quantile, tail
from arrayspeed.decide.words import (
    ALIKE,
    ERROR_RATE,
    FACTOR,
    LIMIT,
    MOST_A_LOOK,
    NEGLIGIBLE,
    SAME,
    UNCLEAR,
    WORSE,
)

#: Rounds that must agree exactly before a difference without any noise is believed, of a measure that does not vary by
#: chance and of others.
AGREEING_EXACT, AGREEING = 2, 3

#: A bound so many times the ratio bounds nothing: few rounds, which differ, give one of ×1e+21.
NO_BOUND = 100.0


@dataclass(frozen=True)
class Decision:
    """What was shown of one comparison.

    Attributes
    ----------
    verdict
        A word of `arrayspeed.decide.words`.
    ratio, low, high
        Subject over reference and its 95 % interval, wider where the verdict says that it changed; None where there are
        too few processes, and then the verdict is about failures, or unclear.
    rounds
        Pairs of processes that decided; of sides that never met, the processes of the smaller side.
    failed_reference, failed_subject, processes_reference, processes_subject
        Processes that gave nothing, and all of them.
    noise
        Standard deviation of the logarithm of one pair's ratio; None where it is unknown.
    paired
        Whether the two sides met in rounds.
    error, freedom
        Standard error of the logarithm of the ratio, and the degrees of freedom that it is known with; None where it is
        unknown.
    bounded
        Whether the ratio is shown to be below the limit, or the difference below what matters.
    bound
        What the ratio is shown to be at most; None where it is unknown, or so large that it says nothing.
    """

    verdict: str
    ratio: float | None
    low: float | None
    high: float | None
    rounds: int
    failed_reference: int
    failed_subject: int
    processes_reference: int
    processes_subject: int
    noise: float | None = None
    paired: bool = True
    error: float | None = None
    freedom: float | None = None
    bounded: bool = False
    bound: float | None = None

    @property
    def worse(self) -> bool:
        """Whether it makes the exit status 1."""
        return self.verdict in WORSE


@dataclass(frozen=True)
class Estimate:
    """A shift with its standard error and degrees of freedom, and the chances of it where nothing is so.

    Attributes
    ----------
    shift, error, freedom
        The logarithm of the ratio, its standard error, and the degrees of freedom of that.
    changed
        The chance of a shift so large where the ratio is within what matters.
    alike, same
        Of one so small where it is beyond what matters, and beyond the factor.
    not_more, below
        Of one so low where it is above what matters, and above the limit.
    blur
        What moves the shift that no round shows.
    """

    shift: float
    error: float
    freedom: float
    changed: float
    alike: float
    same: float
    not_more: float
    below: float
    blur: float = 0.0

    def margin(self, level: float) -> float:
        """Half of the interval that leaves out ``level``."""
        return self.blur + (quantile(level / 2, self.freedom) * self.error if self.error else 0.0)


@dataclass(frozen=True)
class Shown:
    """Which of the chances of a comparison are small enough, for all of them together."""

    changed: bool
    alike: bool
    same: bool
    not_more: bool
    below: bool


def judge(
    observed: Sequence[Observed],
    factor: float = FACTOR,
    level: float = MOST_A_LOOK,
    decided: Sequence[str | None] | None = None,
    limit: float = LIMIT,
) -> list[Decision]:
    """Return a decision for each comparison.

    Parameters
    ----------
    observed
        All comparisons that are reported together, decided or not: the error rates are of the whole list.
    factor
        The ratio that somebody would act on.
    level
        The share of wrong statements that this look may add, one-sided.
    decided
        The words that earlier looks found, and that stay: their comparisons count here all the same.
    limit
        The ratio that must be excluded.
    """
    decided = decided or [None] * len(observed)
    effects = [effect(one) for one in observed]
    estimates = estimate(observed, effects, factor, limit)
    every = shown(estimates, level)
    failing = judge_failures(observed)
    words = [
        before or about_failures or verdict(one, found, each)
        for one, found, before, about_failures, each in zip(observed, estimates, decided, failing, every, strict=True)
    ]
    number = max(1, len(observed))
    chosen = sum(word in (one.words.more, one.words.less) for one, word in zip(observed, words, strict=True))
    wider = ERROR_RATE * chosen / number
    tail_of_bounds = level * max(1, sum(each.below for each in every)) / number
    return [
        bounded(
            decision(one, raw, found, word, wider if word in (one.words.more, one.words.less) else ERROR_RATE),
            found,
            each.below,
            tail_of_bounds,
        )
        for one, raw, found, word, each in zip(observed, effects, estimates, words, every, strict=True)
    ]


def shown(estimates: Sequence[Estimate | None], level: float) -> list[Shown]:
    """Return what is shown of each comparison."""

    def small(chance: Callable[[Estimate], float]) -> list[bool]:
        return [bool(one <= level) for one in adjusted([chance(one) if one else 1.0 for one in estimates])]

    questions = (
        small(lambda item: item.changed),
        small(lambda item: item.alike),
        small(lambda item: item.same),
        small(lambda item: item.not_more),
        small(lambda item: item.below),
    )
    return [Shown(*each) for each in zip(*questions, strict=True)]


def verdict(observed: Observed, estimate: Estimate | None, shown: Shown) -> str:
    """Return the word of one comparison that works on both sides."""
    if not estimate:
        return UNCLEAR
    if shown.changed:
        return observed.words.more if estimate.shift > 0 else observed.words.less
    if shown.alike:
        return SAME if shown.same and not observed.below_floor else NEGLIGIBLE
    return observed.words.not_more if shown.not_more else UNCLEAR


def bounded(decision: Decision, estimate: Estimate | None, below: bool, level: float) -> Decision:
    """Return a decision with its bound: the upper end of a one-sided interval that leaves out ``level``."""
    if not estimate or decision.low is None:
        return replace(decision, bounded=decision.verdict in ALIKE)
    margin = quantile(level, estimate.freedom) * estimate.error if estimate.error else 0.0
    most = ratio_of(estimate.shift + estimate.blur + margin)
    known = decision.ratio is not None and most <= NO_BOUND * decision.ratio
    return replace(decision, bounded=below or decision.verdict in ALIKE, bound=most if known else None)


def estimate(
    observed: Sequence[Observed], effects: Sequence[Effect | None], factor: float, limit: float
) -> list[Estimate | None]:
    """Return each shift with its error and chances; the variances of a group are pooled."""
    groups = defaultdict(list)
    for one, found in zip(observed, effects, strict=True):
        if found:
            groups[one.group, found.paired, one.usual].append(found)
    priors = {key: prior(found, key[2] if key[1] else 0.0) for key, found in groups.items()}
    return [
        one_estimate(found, priors[one.group, found.paired, one.usual], one, factor, limit) if found else None
        for one, found in zip(observed, effects, strict=True)
    ]


def one_estimate(effect: Effect, usual: Prior, observed: Observed, factor: float, limit: float) -> Estimate:
    """Return the chances of a shift, as `Estimate` has them."""
    variance, freedom = usual.moderate(effect)
    error, shift, size, blur = math.sqrt(variance), effect.shift, abs(effect.shift), observed.blur()
    matters, ratio, most = observed.threshold(factor), observed.ratio_alone(factor), observed.most(factor, limit)
    if not error:  # all rounds agree: what differs is no noise, if there were enough of them
        believed = effect.count >= (AGREEING_EXACT if observed.exact else AGREEING)

        def chance(so: bool) -> float:
            return float(not (believed and so))

        return Estimate(
            shift,
            0.0,
            freedom,
            chance(size > matters + blur),
            chance(size + blur <= matters),
            chance(size + blur <= ratio),
            chance(shift + blur <= matters),
            chance(shift + blur <= most),
            blur,
        )
    outer = matters + blur

    def below(edge: float, value: float) -> float:
        return tail((edge - blur - value) / error, freedom)

    return Estimate(
        shift,
        error,
        freedom,
        tail((size - outer) / error, freedom) + tail((size + outer) / error, freedom),
        below(matters, size),
        below(ratio, size),
        below(matters, shift),
        below(most, shift),
        blur,
    )


def decision(observed: Observed, raw: Effect | None, estimate: Estimate | None, word: str, level: float) -> Decision:
    """Return everything that is said of one comparison."""
    failed_reference, processes_reference, failed_subject, processes_subject = observed.failures()
    counts = failed_reference, failed_subject, processes_reference, processes_subject
    paired = observed.rounds
    rounds = len(paired) or min(processes_reference - failed_reference, processes_subject - failed_subject)
    if not raw or not estimate:
        ratio = lone_ratio(observed)
        return Decision(word, ratio, None, None, rounds, *counts, paired=bool(paired))
    margin = estimate.margin(level)
    ratio, low, high = (ratio_of(estimate.shift + step) for step in (0.0, -margin, margin))
    noise = math.sqrt(raw.variance)
    return Decision(word, ratio, low, high, rounds, *counts, noise, raw.paired, estimate.error, estimate.freedom)


def lone_ratio(observed: Observed) -> float | None:
    """Return the ratio of sides with too few processes for an interval; None where one gave nothing."""
    sides = [observed.logarithms(side) for side in (observed.reference, observed.subject)]
    if not all(sides):
        return None
    differences = observed.differences()
    return ratio_of(differences[0] if differences else sides[1][0] - sides[0][0])
