"""Measuring until it is decided: looks after 4, 8, 16 and 32 rounds, which together are wrong as seldom as one.

Each look spends a part of the error rate, and the parts add up to no more than all of it (Bonferroni over looks). What a
look decides stays decided and gets no more processes; its comparison goes on to count among all of them, so that
Benjamini and Hochberg's promise is about the whole list.

What not even the last look would decide is given up, and stays unclear: processes are better spent on the others. That
makes no statement, so it makes none wrong.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field

from arrayspeed.decide.failures import open_question
from arrayspeed.decide.judge import Decision, judge
from arrayspeed.decide.observed import Observed
from arrayspeed.decide.words import BROKEN, ERROR_RATE, FACTOR, FAILS, MOST_A_LOOK, SOMETIMES, UNCLEAR, WORKS

#: Rounds after which the data are looked at.
LOOKS = (4, 8, 16, 32)

#: What each look but the last spends of the error rate; the last spends the rest, or as much of it as one look may.
EARLY = 0.01

#: Before so many rounds nothing is given up: noise is hardly known.
PATIENCE = 4

FAILURES = (FAILS, SOMETIMES, WORKS, BROKEN)


def plan(rounds: int) -> tuple[int, ...]:
    """The rounds after which is looked, the last of them at ``rounds``."""
    return (*(look for look in LOOKS if look < rounds), rounds)


def spending(looks: int) -> list[float]:
    """What each of so many looks may spend, one-sided."""
    early = min(EARLY, ERROR_RATE / looks)
    return [early] * (looks - 1) + [min(MOST_A_LOOK, ERROR_RATE - early * (looks - 1))]


@dataclass
class Looks:
    """The looks of one measurement.

    Attributes
    ----------
    rounds
        The most rounds of a comparison.
    factor
        The ratio that somebody would act on.
    words
        What was decided so far.
    given_up
        What stays unclear because not even all rounds would decide it.
    """

    rounds: int = LOOKS[-1]
    factor: float = FACTOR
    words: dict[Hashable, str] = field(default_factory=dict)
    given_up: set[Hashable] = field(default_factory=set)
    number: int = 0

    @property
    def plan(self) -> tuple[int, ...]:
        """The rounds after which is looked."""
        return plan(self.rounds)

    def look(self, observed: Mapping[Hashable, Observed]) -> dict[Hashable, Decision]:
        """Judge everything, and keep what is decided. To be called once a look, with all comparisons.

        A measurement that was stopped early calls it once more with what there is: that is the look that would have
        come next.
        """
        level = spending(len(self.plan))[min(self.number, len(self.plan) - 1)]
        self.number += 1
        before = [self.words.get(key) for key in observed]
        found = dict(zip(observed, judge(list(observed.values()), self.factor, level, before), strict=True))
        for key, one in found.items():
            if open_question(observed[key]) and one.verdict not in FAILURES:
                continue  # a process that failed on one side only: more rounds may show that it does so more often
            if one.verdict != UNCLEAR:
                self.words[key] = one.verdict
            elif one.rounds >= PATIENCE and not reachable(one, observed[key].threshold(self.factor), self.rounds):
                self.given_up.add(key)
        return found

    def undecided(self, observed: Mapping[Hashable, Observed]) -> list[Hashable]:
        """What needs more rounds, and could be decided by them."""
        return [key for key in observed if key not in self.words and key not in self.given_up]


def reachable(one: Decision, threshold: float, rounds: int) -> bool:
    """Whether so many rounds in all would decide a comparison, were its ratio to move by one standard error in whichever
    direction helps, and its noise to stay what it is.
    """
    if one.low is None or one.rounds >= rounds:
        return one.low is None
    margin, size = math.log(one.high / one.low) / 2, abs(math.log(one.ratio))
    move = margin / 2 * math.sqrt(1 - one.rounds / rounds)
    last = margin * math.sqrt(one.rounds / rounds)
    return max(0.0, size - move) + last < threshold or size + move - last > threshold
