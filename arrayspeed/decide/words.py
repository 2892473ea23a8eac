"""The words of a decision, what makes one bad, and the numbers that they depend on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

SLOWER, FASTER, SAME, UNCLEAR = "slower", "faster", "same", "unclear"

#: A difference below what ever matters, in the measure's unit, that is not shown to be within the factor.
NEGLIGIBLE = "negligible"
FAILS, WORKS, SOMETIMES, BROKEN = "fails", "works now", "sometimes fails", "fails in both"

#: What a result is called that is not the same: no ratio decides it.
DIFFERS = "differs"


@dataclass(frozen=True)
class Words:
    """What "more" and "less" of a measure are called. Less is better in every measure."""

    more: str = SLOWER
    less: str = FASTER

    @property
    def not_more(self) -> str:
        """What is shown to be no more by the factor, and not shown to be within it."""
        return f"not {self.more}"


TIMES = Words()
SIZES = Words("larger", "smaller")
ERRORS = Words("less accurate", "more accurate")

#: What makes an upgrade worse.
WORSE = (DIFFERS, FAILS, SOMETIMES, SLOWER, SIZES.more, ERRORS.more)

#: What is shown not to be worse by the factor, and may be better.
NOT_WORSE = tuple(words.not_more for words in (TIMES, SIZES, ERRORS))

#: What shows that nothing changed.
ALIKE = (SAME, NEGLIGIBLE)

#: What is not decided: of the second only that it is not worse.
OPEN = (UNCLEAR, *NOT_WORSE)

#: What is worse, and somebody has accepted.
ACCEPTED = "accepted"

#: What a commit brings: the one before cannot run it.
NEW = "new"

#: What is not compared.
UNCOMPARED = (BROKEN, NEW)

#: What says that there is no value.
FAILURES = (FAILS, SOMETIMES, BROKEN)

#: The order in which people want to see them.
ORDER = (*WORSE, ACCEPTED, NEW, WORKS, FASTER, SIZES.less, ERRORS.less, *OPEN, *ALIKE, BROKEN)

#: The ratio that somebody would act on, where nobody says otherwise.
FACTOR = 1.05

#: The ratio that an upgrade must be shown to stay below, where nobody says otherwise.
LIMIT = 1.25

#: The share of wrong statements that is allowed of each kind ("slower or faster", "same", "not slower", bounds below
#: the limit); the confidence of the intervals is what is left of 1.
ERROR_RATE = 0.05

#: No look at the data spends more than this, one-sided. It is what a two-sided 95 % interval leaves on each side, so a
#: word and the interval beside it always agree.
MOST_A_LOOK = ERROR_RATE / 2

#: What a comparison is measured for: a word, or a bound below the limit.
WORDS, LIMITS = "words", "limit"

#: The share of comparisons of which no bound below the limit need be shown where nothing is worse.
UNCLEAR_SHARE = 0.05


@dataclass(frozen=True)
class Word:
    """A word alone, and whether its comparison is shown to stay below the limit."""

    verdict: str
    bounded: bool = False


class Judged(Protocol):
    """A comparison with its word, and whether it is shown to stay below the limit."""

    @property
    def verdict(self) -> str:
        """The word."""

    @property
    def bounded(self) -> bool:
        """Whether a change beyond the limit is excluded."""


def lacks_bound(judged: Judged) -> bool:
    """Return whether a change for the worse beyond the limit may hide in a comparison."""
    return judged.verdict == UNCLEAR and not judged.bounded


def exit_status(judged: Iterable[Judged], unclear_share: float = UNCLEAR_SHARE) -> int:
    """0: nothing is worse, and all but ``unclear_share`` are bounded. 1: something is worse. 2: it is not decided,
    because a change beyond the limit may hide in more of them or nothing could be compared.
    """
    compared = [one for one in judged if one.verdict not in UNCOMPARED]
    if any(one.verdict in WORSE for one in compared):
        return 1
    # What the reference cannot run says nothing of the rest.
    return (
        2
        if all(one.verdict == WORKS for one in compared)
        or sum(map(lacks_bound, compared)) > unclear_share * len(compared)
        else 0
    )
