"""Measuring until it is decided: looks after 3 to 32 rounds, which together are wrong as seldom as one.

Each look spends a part of the error rate. Looks see partly the same rounds, so the chance that any of them goes wrong
is less than the sum of their parts (Armitage, McPherson and Rowe, "Repeated significance tests on accumulating data",
1969). What a look decides stays decided and gets no more processes; its comparison goes on to count among all of them,
so that Benjamini and Hochberg's promise is about the whole list.

A comparison is done when it has a word; for a gate (``until``) it is also done when it is bounded.

What the last look would hardly decide is given up, and stays unclear: processes are better spent on the others. That
makes no statement, so it makes none wrong. Later looks judge it again by the rounds that it has.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from arrayspeed.decide.effects import ENOUGH_TO_TRIM
from arrayspeed.decide.failures import open_question
from arrayspeed.decide.judge import Decision, judge
from arrayspeed.decide.observed import Observed
from arrayspeed.decide.student import density, quantile, tail
from arrayspeed.decide.words import (
    BROKEN,
    ERROR_RATE,
    FACTOR,
    FAILS,
    LIMIT,
    LIMITS,
    MOST_A_LOOK,
    OPEN,
    SOMETIMES,
    WORDS,
    WORKS,
)

#: Rounds after which the data are looked at.
LOOKS = (3, 4, 6, 8, 12, 16, 24, 32)

#: The level of each look, one-sided: a comparison that lies exactly at the factor crosses one of them with a chance of
#: 5 %, if noise is normal and known (see `tests/decide/test_decide.py`). The first levels are low, because so few
#: rounds decide little at any level.
SPENDING = (0.001, 0.002, 0.006, 0.008, 0.012, 0.016, 0.021, 0.0235)

#: What has a smaller chance than this to be decided by the last look is given up. Of few rounds one that met a bad
#: spell cannot be left out, and noise looks larger than it will be later: only the hopeless is given up then, once.
LEAST_CHANCE, LEAST_CHANCE_OF_FEW, FEW = 0.3, 0.1, 4

#: What is believed of ratios before anything was measured, for that chance alone: this share are 1, and the logarithms
#: of the others lie evenly within this of 0. Were it otherwise, processes would be spent less well; no word depends on
#: it.
EQUAL, FAR = 0.5, math.log(1.5)

#: What the last look asks of one comparison, one-sided: its share, adjusted for their number as is usual.
LAST = 0.6 * SPENDING[-1]

FAILURES = (FAILS, SOMETIMES, WORKS, BROKEN)

#: What comparisons are called by who asks.
Key = TypeVar("Key", bound=Hashable)


def plan(rounds: int) -> tuple[int, ...]:
    """Return the rounds after which is looked, the last of them at ``rounds``."""
    return (*(look for look in LOOKS if look < rounds), rounds)


def spending(looks: int) -> list[float]:
    """Return what each of so many looks may spend, one-sided. Where they are fewer, the last spends as much as one look
    may; where they are more, all spend alike.
    """
    if looks == len(LOOKS):
        return list(SPENDING)
    if looks > len(LOOKS):
        return [ERROR_RATE / looks] * looks
    return [*SPENDING[: looks - 1], MOST_A_LOOK]


@dataclass
class Looks:
    """The looks of one measurement.

    Attributes
    ----------
    rounds
        The most rounds of a comparison.
    factor, limit
        The ratio that somebody would act on, and the one that must be excluded.
    until
        What comparisons are measured for: `WORDS`, or `LIMITS`, where a bound below the limit is enough.
    decisions
        What was decided so far, as it was then: word and interval come from the same look.
    given_up
        What stays unclear because all rounds would hardly decide it.
    number
        How many looks there were.
    once
        Look only once, after all rounds.
    patient
        Give nothing up: what is known to differ from its reference, as a release does from the middle between two that
        differ, is decided by more rounds far more often than what may be equal.
    """

    rounds: int = LOOKS[-1]
    factor: float = FACTOR
    limit: float = LIMIT
    until: str = WORDS
    decisions: dict[Hashable, Decision] = field(default_factory=dict)
    given_up: set[Hashable] = field(default_factory=set)
    number: int = 0
    once: bool = False
    patient: bool = False

    @property
    def plan(self) -> tuple[int, ...]:
        """The rounds after which is looked."""
        return (self.rounds,) if self.once else plan(self.rounds)

    @property
    def words(self) -> dict[Hashable, str]:
        """The words of what was decided so far."""
        return {key: one.verdict for key, one in self.decisions.items()}

    def look(self, observed: Mapping[Key, Observed], last: bool = False) -> dict[Key, Decision]:
        """Judge everything, and keep what is decided. To be called once a look, with all comparisons.

        A measurement that was stopped early calls it once more with what there is: that is the look that would have
        come next. ``last``: none will follow, whatever was found, so it spends what a last look may. Not of a
        measurement that somebody stopped, who may have looked at what was decided.
        """
        number = min(self.number, len(self.plan) - 1)
        level = spending(number + 1 if last else len(self.plan))[number]
        self.number += 1
        words = self.words
        before = [words.get(key) for key in observed]
        judged = judge(list(observed.values()), self.factor, level, before, self.limit)
        found = dict(zip(observed, judged, strict=True))
        for key, one in found.items():
            if key in self.decisions:
                continue
            if open_question(observed[key]) and one.verdict not in FAILURES:
                continue  # a process that failed on one side only: more rounds may show that it does so more often
            if self.is_done(one):
                self.decisions[key] = one
            elif not self.patient and self.is_hopeless(one, observed[key]):
                self.given_up.add(key)
        return found | {key: self.decisions[key] for key in found if key in self.decisions}

    def is_done(self, decision: Decision) -> bool:
        """Return whether nothing more is asked of a comparison."""
        return decision.verdict not in OPEN or (self.until == LIMITS and decision.bounded)

    def is_hopeless(self, decision: Decision, observed: Observed) -> bool:
        """Return whether all rounds would hardly decide what is unclear now."""
        blur = observed.blur()
        if blur and not decision.error and decision.rounds >= FEW:
            return True  # rounds agree, and more of them leave as much open
        threshold, least = observed.threshold(self.factor), least_chance(decision.rounds)
        if not decision.bounded:
            # Whatever it is measured for, a bound is worth having.
            most = observed.most(self.factor, self.limit)
            if chance(decision, threshold, self.rounds, blur, most) >= least:
                return False
        return self.until == LIMITS or chance(decision, threshold, self.rounds, blur) < least

    def undecided(self, keys: Iterable[Key]) -> list[Key]:
        """Return what needs more rounds, and could be decided by them."""
        return [key for key in keys if key not in self.decisions and key not in self.given_up]


def least_chance(rounds: int) -> float:
    """Return the chance below which a comparison with so many rounds is given up.

    Before the first look that can leave a bad round out, that is asked once: to ask twice would give up twice as much
    for one bad round.
    """
    if rounds >= ENOUGH_TO_TRIM:
        return LEAST_CHANCE
    return LEAST_CHANCE_OF_FEW if rounds == FEW else 0.0


def chance(decision: Decision, threshold: float, rounds: int, blur: float = 0.0, most: float | None = None) -> float:
    """Return the chance that so many rounds in all decide a comparison, from what is known of it now. ``blur``: as of
    `Observed`; ``most``: the logarithm of the limit, where a bound below it is enough.

    Spiegelhalter, Freedman and Blackburn, "Monitoring clinical trials: conditional or predictive power?", 1986, with
    Student's t for the unknown noise. The ratio is 1, or anything else, by what was believed of it before and what was
    measured. If it is 1, the ratio found moves towards that; else it lies around the present one.
    """
    if not decision.error or decision.ratio is None or decision.freedom is None or decision.rounds >= rounds:
        return 1.0 if decision.rounds < rounds else 0.0
    done, size = decision.rounds / rounds, abs(math.log(decision.ratio))
    error, freedom = decision.error, decision.freedom
    last = error * math.sqrt(done)
    margin = quantile(LAST, math.inf) * last

    def decided(centre: float, spread: float) -> float:
        def above(shift: float) -> float:
            return tail((shift - centre) / spread, freedom)

        inner, outer = threshold - blur - margin, threshold + blur + margin
        if most is not None:
            return min(1.0, above(outer) + 1 - above(most - blur - margin))
        within = max(0.0, above(-inner) - above(inner))
        return within + above(outer) + 1 - above(-outer)

    equal = EQUAL * density(size / error, freedom) / error
    other = (1 - EQUAL) / (2 * FAR)
    of_equal, of_other = (
        decided(done * size, last * math.sqrt(1 - done)),
        decided(size, error * math.sqrt(1 - done)),
    )
    return (equal * of_equal + other * of_other) / (equal + other)
