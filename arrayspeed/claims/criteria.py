"""When a claim holds: the kinds of claim, each with one rule.

What two measurements show is said by `arrayspeed.decide.compare`: "faster" and "slower" are beyond ×1.05, "the same" is
within it, and everything else is not shown either way. The word of a claim that needs several comparisons allows for
their number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from arrayspeed.claims import text
from arrayspeed.claims.comparison import (
    FAILS,
    HOLDS,
    LESS,
    MORE,
    OPEN,
    Comparison,
    Measurements,
    Pair,
    Reported,
    as_reported,
    at_most_reported,
    is_at_most,
    is_faster,
    is_not_faster,
    is_same,
)
from arrayspeed.claims.evidence import Evidence, Found
from arrayspeed.decide.words import UNCLEAR
from arrayspeed.records.levels import Case, compared, inverse

#: What "tied" means where an article gives no number: the fastest takes at most a quarter less than the slowest.
TIED = 0.25

#: What is said of a claim whose direction holds, by its size.
NOTES = {
    LESS: "; less than half of what was reported",
    MORE: "; more than twice what was reported",
    OPEN: "; whether that is within a factor of 2 of what was reported is not shown",
}


@dataclass(frozen=True)
class Outcome:
    """What was shown of a claim.

    Attributes
    ----------
    direction
        `HOLDS`, `FAILS` or `OPEN`: whether it is as the claim says, by however much.
    text
        What was measured, in words.
    comparisons
        What it was decided by.
    size
        Whether it is by as much as reported: `HOLDS`, `LESS`, `MORE` or `OPEN`; None where the article gives no ratio.
    """

    direction: str
    text: str
    comparisons: list[Comparison] = field(default_factory=list)
    size: str | None = None

    @property
    def word(self) -> str:
        """Both in one."""
        if self.direction != HOLDS or self.size in (None, HOLDS):
            return self.direction
        return OPEN if self.size == OPEN else f"{HOLDS}, {self.size}"


# The direction of a claim, from its comparisons and whether each agrees.

Agrees = Callable[[Comparison], bool | None]


def word_of(parts: Iterable[bool | None]) -> str:
    """Return the word of a claim that holds where all of its parts do."""
    parts = list(parts)
    return FAILS if False in parts else HOLDS if all(parts) else OPEN


def every(comparisons: Sequence[Comparison], agrees: Agrees) -> str:
    """Return whether all agree."""
    return word_of(map(agrees, comparisons))


def one_is_enough(comparisons: Sequence[Comparison], agrees: Agrees) -> str:
    """At least one agrees."""
    shown = {agrees(one) for one in comparisons}
    return HOLDS if True in shown else FAILS if shown == {False} else OPEN


def both_ends(comparisons: Sequence[Comparison], agrees: Agrees) -> str:
    """Not faster at the first, and faster at the last."""
    return word_of([is_not_faster(comparisons[0]), is_faster(comparisons[-1])])


def no_winner(comparisons: Sequence[Comparison], agrees: Agrees) -> str:
    """Return whether each backend is slower than another somewhere."""
    beaten = text.beaten(comparisons)
    doubtful = {case.backend for one in comparisons if one.word == UNCLEAR for case in (one.pair.fast, one.pair.slow)}
    if any(not where and backend not in doubtful for backend, where in beaten.items()):
        return FAILS
    return HOLDS if all(beaten.values()) else OPEN


# The size of a claim, from those of its comparisons.


def size_of_all(sizes: set[str]) -> str:
    """As reported where all are, by less (or more) where one is shown to be and none the other way."""
    departing = sizes & {LESS, MORE}
    return HOLDS if sizes == {HOLDS} else departing.pop() if len(departing) == 1 else OPEN


def size_of_largest(sizes: set[str]) -> str:
    """Of the largest, whichever of the ratios that is."""
    if MORE in sizes or sizes == {LESS}:
        return MORE if MORE in sizes else LESS
    return HOLDS if HOLDS in sizes and OPEN not in sizes else OPEN


@dataclass(frozen=True)
class Rule:
    """When a kind of claim holds.

    Attributes
    ----------
    says
        The rule in words.
    agrees
        Whether one comparison is shown to be as the claim says; None where neither that nor the contrary is.
    direction
        The word of all comparisons together.
    reported
        Whether the ratio of a pair is the one reported; None where claims of this kind give none.
    size
        The word of all ratios together; None where the direction says it all.
    tell
        What was measured, in words.
    among_all
        Whether every two of its cases are compared, and not what is faster with what is slower.
    within
        Within what share all must be alike, where the article gives none.
    sizes_needed
        At how many sizes everything must have been measured.
    """

    says: str
    agrees: Agrees = is_faster
    direction: Callable[[Sequence[Comparison], Agrees], str] = every
    reported: Callable[[Reported, Pair, Measurements, int], str] | None = None
    size: Callable[[set[str]], str] | None = None
    tell: Callable[..., str] = text.all_of
    among_all: bool = False
    within: float | None = None
    sizes_needed: int = 1


RULES = {
    "faster": Rule(
        "Each is shown to be faster than what it is compared with; one that is shown to be the same or slower is "
        "enough against it."
    ),
    "not faster": Rule(
        "Each is shown to be the same as what it is compared with, or slower; one that is shown to be faster is enough "
        "against it.",
        agrees=is_not_faster,
    ),
    "times faster": Rule(
        "Each is shown to be faster, and the whole interval of the ratio is within a factor of 2 of the one reported "
        "(of the range, where it is one). By less or by more: the whole interval is beyond that.",
        reported=as_reported,
        size=size_of_all,
    ),
    "times faster at best": Rule(
        "One is shown to be faster, and the largest of the ratios is within a factor of 2 of the one reported. By "
        "less: every ratio is less than half of it; by more: one is more than twice.",
        direction=one_is_enough,
        reported=as_reported,
        size=size_of_largest,
        tell=text.at_best,
    ),
    "grows": Rule(
        "The time is shown to grow, and the whole interval of the factor is within a factor of 2 of the one reported. "
        "By less or by more: the whole interval is beyond that. The sizes were measured minutes apart, and the "
        "interval allows for that.",
        reported=as_reported,
        size=size_of_all,
        tell=text.growth,
    ),
    "hardly grows": Rule(
        "The factor by which the time grows is shown to be at most twice the one reported; it does not hold where it "
        "is shown to be more. The sizes were measured minutes apart, and the interval allows for that.",
        agrees=is_at_most,
        reported=at_most_reported,
        tell=text.growth,
    ),
    "faster somewhere": Rule(
        "There is a measured size at which it is shown to be faster; it does not hold where it is shown to be the same "
        "or slower at all of them.",
        direction=one_is_enough,
        tell=text.where_faster,
    ),
    "overtakes": Rule(
        "It is shown not to be faster at the smallest measured size, and to be faster at the largest; it does not hold "
        "where the contrary of either is shown.",
        direction=both_ends,
        tell=text.where_faster,
        sizes_needed=2,
    ),
    "alike": Rule(
        "All are shown to be within the share reported of each other (25 % where the article gives none): the fastest "
        "takes at most so much less time than the slowest. It does not hold where two are shown to differ by more. "
        "Intervals that overlap are no evidence of being alike.",
        agrees=is_same,
        tell=text.append_times,
        among_all=True,
        within=TIED,
    ),
    "no single winner": Rule(
        "Every backend is shown to be slower than another somewhere. It does not hold where one backend is shown to be "
        "faster than all others, or the same, everywhere.",
        direction=no_winner,
        tell=text.where_beaten,
        among_all=True,
    ),
}


@dataclass(frozen=True)
class Criterion:
    """When one claim holds.

    Attributes
    ----------
    rule
        Its kind.
    pairs
        What is compared.
    ratio
        The lowest and the highest ratio reported.
    within
        Within what share all are said to be alike.
    each_size
        Whether it is decided by those sizes at which everything was measured.
    """

    rule: Rule
    pairs: tuple[Pair, ...]
    ratio: Reported | None = None
    within: float | None = None
    each_size: bool = False

    @property
    def cases(self) -> list[Case]:
        """Everything that has to be measured."""
        return list(dict.fromkeys(case for pair in self.pairs for case in (pair.fast, pair.slow)))

    def find(self, evidence: Evidence) -> Found | None:
        """Return the measurements that decide it, or None."""
        if self.each_size:
            return evidence.find_each_size(self.cases, self.rule.sizes_needed)
        return evidence.find(self.cases)

    def judge(self, measurements: Measurements) -> Outcome:
        """Return what was shown of it."""
        rule = self.rule
        pairs = [pair for pair in self.pairs if {pair.fast, pair.slow} <= measurements.keys()]
        found = [self.compare(pair, measurements, len(pairs)) for pair in pairs]
        direction = rule.direction(found, rule.agrees)
        size = rule.size({one.size for one in found if one.size is not None}) if rule.size else None
        told = rule.tell(found, [one for one in found if not rule.agrees(one)], measurements)
        note = NOTES.get(size, "") if direction == HOLDS and size is not None else ""
        return Outcome(direction, told + note, found, size)

    def compare(self, pair: Pair, measurements: Measurements, among: int) -> Comparison:
        """One of so many pairs."""
        factor = None if self.within is None else 1 / (1 - self.within)
        ratio = inverse(compared(pair.fast, pair.slow, measurements, factor, among))
        size = None
        if self.rule.reported:
            assert self.ratio is not None  # a rule with this has one
            size = self.rule.reported(self.ratio, pair, measurements, among)
        return Comparison(pair, ratio, size)
