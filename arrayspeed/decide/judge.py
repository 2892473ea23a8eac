"""A word and an interval for each comparison, decided over all of them together.

slower, faster
    The ratio is shown to be beyond the factor: McCarthy and Smyth, "Testing significance relative to a fold-change
    threshold is a TREAT", 2009.
same
    It is shown to be within the factor, by two one-sided tests: Schuirmann, "A comparison of the two one-sided tests
    procedure and the power approach for assessing the equivalence of average bioavailability", 1987.
unclear
    Neither was shown.

Of many comparisons some would be called one or the other by chance: Benjamini and Hochberg, "Controlling the false
discovery rate", 1995, over all comparisons, for each of the two questions. The intervals of what is reported as changed
are wider for having been chosen: Benjamini and Yekutieli, "False discovery rate-adjusted multiple confidence intervals
for selected parameters", 2005.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import false_discovery_control

from arrayspeed.decide.effects import Effect, effect, ratio_of
from arrayspeed.decide.failures import judge_failures
from arrayspeed.decide.observed import Observed
from arrayspeed.decide.prior import Prior, prior
from arrayspeed.decide.student import quantile, tail
from arrayspeed.decide.words import ERROR_RATE, FACTOR, MOST_A_LOOK, SAME, UNCLEAR, WORSE

#: Rounds that must agree exactly before a difference without any noise is believed, of a measure that does not vary by
#: chance and of others.
AGREEING_EXACT, AGREEING = 2, 3


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

    @property
    def worse(self) -> bool:
        """Whether it makes the exit status 1."""
        return self.verdict in WORSE


@dataclass(frozen=True)
class Estimate:
    """A shift with its standard error and degrees of freedom, the chances of it where nothing is so, and what moves it
    that no round shows.
    """

    shift: float
    error: float
    freedom: float
    changed: float
    same: float
    blur: float = 0.0

    def margin(self, level: float) -> float:
        """Half of the interval that leaves out ``level``."""
        return self.blur + (quantile(level / 2, self.freedom) * self.error if self.error else 0.0)


def judge(
    observed: Sequence[Observed],
    factor: float = FACTOR,
    level: float = MOST_A_LOOK,
    decided: Sequence[str | None] | None = None,
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
    """
    decided = decided or [None] * len(observed)
    effects = [effect(one) for one in observed]
    estimates = estimate(observed, effects, factor)
    changed = adjusted([one.changed if one else 1.0 for one in estimates])
    same = adjusted([one.same if one else 1.0 for one in estimates])
    failing = judge_failures(observed)
    words = [
        before or about_failures or verdict(one, found, a <= level, b <= level)
        for one, found, before, about_failures, a, b in zip(
            observed, estimates, decided, failing, changed, same, strict=True
        )
    ]
    chosen = sum(word in (one.words.more, one.words.less) for one, word in zip(observed, words, strict=True))
    wider = ERROR_RATE * chosen / max(1, len(observed))
    return [
        decision(one, raw, found, word, wider if word in (one.words.more, one.words.less) else ERROR_RATE)
        for one, raw, found, word in zip(observed, effects, estimates, words, strict=True)
    ]


def verdict(observed: Observed, estimate: Estimate | None, changed: bool, same: bool) -> str:
    """Return the word of one comparison that works on both sides."""
    if estimate and changed:
        return observed.words.more if estimate.shift > 0 else observed.words.less
    return SAME if estimate and same else UNCLEAR


def adjusted(chances: list[float]) -> list[float]:
    """Return each chance adjusted for their number: of those at most q, a share of q is false."""
    return list(false_discovery_control(np.clip(chances, 0, 1))) if chances else []


def estimate(observed: Sequence[Observed], effects: Sequence[Effect | None], factor: float) -> list[Estimate | None]:
    """Return each shift with its error and chances; comparisons of one group tell each other what noise is usual."""
    groups = defaultdict(list)
    for one, found in zip(observed, effects, strict=True):
        if found:
            groups[one.group, found.paired].append(found)
    priors = {key: prior(found) for key, found in groups.items()}
    return [
        one_estimate(found, priors[one.group, found.paired], one.threshold(factor), one.exact, one.blur())
        if found
        else None
        for one, found in zip(observed, effects, strict=True)
    ]


def one_estimate(effect: Effect, usual: Prior, threshold: float, exact: bool, blur: float) -> Estimate:
    """Return the chance of a shift so large where the ratio is within the factor, and of one so small where it is
    beyond.
    """
    variance, freedom = usual.moderate(effect)
    error, size = math.sqrt(variance), abs(effect.shift)
    if not error:  # all rounds agree: what differs is no noise, if there were enough of them
        believed = effect.count >= (AGREEING_EXACT if exact else AGREEING)
        changed, same = size > threshold + blur, size + blur <= threshold
        return Estimate(
            effect.shift, 0.0, freedom, float(not (believed and changed)), float(not (believed and same)), blur
        )
    outer, inner = threshold + blur, threshold - blur
    chance = tail((size - outer) / error, freedom) + tail((size + outer) / error, freedom)
    return Estimate(effect.shift, error, freedom, chance, tail((inner - size) / error, freedom), blur)


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
