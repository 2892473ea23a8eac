"""The words of a decision, what makes one bad, and the numbers that they depend on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

SLOWER, FASTER, SAME, UNCLEAR = "slower", "faster", "same", "unclear"
FAILS, WORKS, SOMETIMES, BROKEN = "fails", "works now", "sometimes fails", "fails in both"

#: What a result is called that is not the same: no ratio decides it.
DIFFERS = "differs"


@dataclass(frozen=True)
class Words:
    """What "more" and "less" of a measure are called. Less is better in every measure."""

    more: str = SLOWER
    less: str = FASTER


TIMES = Words()
SIZES = Words("larger", "smaller")
ERRORS = Words("less accurate", "more accurate")

#: What makes an upgrade worse.
WORSE = (DIFFERS, FAILS, SOMETIMES, SLOWER, SIZES.more, ERRORS.more)

#: What says that there is no value.
FAILURES = (FAILS, SOMETIMES, BROKEN)

#: The order in which people want to see them.
ORDER = (*WORSE, WORKS, FASTER, SIZES.less, ERRORS.less, UNCLEAR, SAME, BROKEN)

#: The ratio that somebody would act on, where nobody says otherwise.
FACTOR = 1.05

#: The share of wrong statements that is allowed, of "slower or faster" and of "same" alike; the confidence of the
#: intervals is what is left of 1.
ERROR_RATE = 0.05

#: No look at the data spends more than this, one-sided. It is what a two-sided 95 % interval leaves on each side, so a
#: word and the interval beside it always agree.
MOST_A_LOOK = ERROR_RATE / 2

#: The share of comparisons that may stay unclear where nothing is worse.
UNCLEAR_SHARE = 0.05


def exit_status(verdicts: Iterable[str], unclear_share: float = UNCLEAR_SHARE) -> int:
    """0: nothing is worse and at most ``unclear_share`` is unclear. 1: something is worse. 2: it is not decided,
    because too much is unclear or nothing could be compared.
    """
    compared = [word for word in verdicts if word != BROKEN]
    if any(word in WORSE for word in compared):
        return 1
    unclear = sum(word == UNCLEAR for word in compared)
    return 2 if not compared or unclear > unclear_share * len(compared) else 0
