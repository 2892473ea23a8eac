"""When a claim holds: the kinds of claim, each with one rule.

What two measurements show is said by `arrayspeed.decide.compare`: "faster" and "slower" are beyond ×1.05, "the same" is
within it, and everything else is not shown either way. The word of a claim that needs several comparisons allows for
their number. The rule of each kind of claim is its class's docstring.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar

from arrayspeed.claims.evidence import Case, Evidence, Found
from arrayspeed.decide.compare import Level, Ratio, compare
from arrayspeed.decide.words import FASTER, SAME, SLOWER, UNCLEAR
from arrayspeed.model.units import human, significant
from arrayspeed.records.levels import compared, inverse, spell_between

#: How far a measured ratio may be from the one reported: hardware and versions differ.
FACTOR = 2

#: The factor of a comparison in which any difference counts.
DIRECTION_ALONE = 1.0

#: What "tied" means where an article gives no number: the fastest takes at most a quarter less than the slowest.
TIED = 0.25

#: Comparisons shown one by one; of more, only those that do not agree with the claim.
SHOWN = 5

#: The words of a direction, and of a size.
HOLDS, FAILS, OPEN = "holds", "does not hold", "not shown"
LESS, MORE = "by less", "by more"

FIELDS = ("kernel", "backend", "device", "dtype", "measure", "size")

Measurements = Mapping[Case, Level]


@dataclass(frozen=True)
class Pair:
    """A comparison: ``fast`` is what the claim says is faster."""

    fast: Case
    slow: Case


@dataclass(frozen=True)
class Comparison:
    """What was measured of a pair.

    Attributes
    ----------
    ratio
        How many times the time of ``fast`` the time of ``slow`` is, with its interval; its word is that of ``fast``.
    size
        Whether the ratio is the one reported: `HOLDS`, `LESS`, `MORE` or `OPEN`; None where none was reported.
    """

    pair: Pair
    ratio: Ratio
    size: str | None = None

    @property
    def word(self) -> str:
        """What was shown of ``fast``: faster, slower, same or unclear."""
        return self.ratio.verdict

    def __str__(self) -> str:
        if self.word == SLOWER:
            return f"{interval_text(inverse(self.ratio))} slower"
        text = interval_text(self.ratio)
        return {FASTER: f"{text} faster", SAME: f"the same, {text}"}.get(self.word, f"unclear, {text}")


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


def interval_text(ratio: Ratio) -> str:
    """A ratio with its interval: 2.1× (1.8–2.5)."""
    return f"{significant(ratio.ratio, 2)}× ({significant(ratio.low, 2)}–{significant(ratio.high, 2)})"


def every(agreeing: Iterable[bool | None]) -> str:
    """The word of a claim that holds where all of its parts do: True speaks for it, False against it, None neither."""
    parts = list(agreeing)
    if any(part is False for part in parts):
        return FAILS
    return HOLDS if all(parts) else OPEN


def size_word(ratios: Iterable[str | None]) -> str:
    """The word of several ratios: as reported where all are, by less (or more) where one is shown to be and none the
    other way.
    """
    words = set(ratios)
    if words == {HOLDS}:
        return HOLDS
    departing = words & {LESS, MORE}
    return departing.pop() if len(departing) == 1 else OPEN


def is_faster(word: str) -> bool | None:
    """Whether "faster" was shown; None where neither that nor the contrary was."""
    return {FASTER: True, UNCLEAR: None}.get(word, False)


def is_not_faster(word: str) -> bool | None:
    """Whether "not faster" was shown."""
    shown = is_faster(word)
    return None if shown is None else not shown


def against(number: float, pair: Pair, measurements: Measurements, among: int, factor: float = DIRECTION_ALONE) -> str:
    """What is shown of a pair's ratio against a number: the word of the ratio, so "slower" is more."""
    slow = measurements[pair.slow]
    slow = replace(slow, shift=slow.shift - math.log(number))
    return compare(slow, measurements[pair.fast], factor, spell_between(pair.slow, pair.fast), among).verdict


def as_reported(pair: Pair, measurements: Measurements, reported: tuple[float, float], among: int) -> str:
    """Whether a measured ratio is within `FACTOR` of the one reported, or of a range."""
    lowest, highest = reported
    middle = math.sqrt(lowest * highest)
    shown = against(middle, pair, measurements, among, FACTOR * highest / middle)
    return {SAME: HOLDS, FASTER: LESS, SLOWER: MORE}.get(shown, OPEN)


def varying(cases: list[Case]) -> list[str]:
    """The fields in which cases differ."""
    return [name for name in FIELDS if len({getattr(case, name) for case in cases}) > 1]


def labels(cases: list[Case]) -> list[str]:
    """Each case named by its backend, and by what it does not share with the others."""
    told = {"backend", *varying(cases)}
    return [" ".join(word(case, name) for name in FIELDS if name in told) for case in cases]


def word(case: Case, name: str) -> str:
    """A field as text reads it."""
    value = getattr(case, name)
    if name == "size":
        return f"at {value:,}"
    if name == "measure":
        return {"time_call": "call", "track_first_call": "first call", "time_round_trip": "round trip"}.get(
            value, value
        )
    return value


def times(cases: Iterable[Case], measurements: Measurements) -> str:
    """Every case once with its time."""
    cases = list(dict.fromkeys(cases))
    return ", ".join(
        f"{label} {human(measurements[case].value, case.measure)}"
        for case, label in zip(cases, labels(cases), strict=True)
    )


def single(comparison: Comparison, measurements: Measurements) -> str:
    """One comparison with its times: ``jax 1.2 ms, numpy 2.4 ms: jax 2.0× (1.8–2.2) faster``."""
    pair = [comparison.pair.fast, comparison.pair.slow]
    subject = f"{labels(pair)[0]} " if comparison.word in (FASTER, SLOWER) else ""
    return f"{times(pair, measurements)}: {subject}{comparison}"


def several(comparisons: list[Comparison], unlike: list[Comparison]) -> str:
    """Many comparisons in a line: all where they are few, else those that do not agree with the claim."""
    pairs = [comparison.pair for comparison in comparisons]
    if len(comparisons) <= SHOWN:
        alone = len({pair.fast for pair in pairs}) == 1
        subject = f"{pairs[0].fast.backend}: " if alone else ""
        return subject + "; ".join(one_of(comparison, pairs) for comparison in comparisons)
    count = f"{len(comparisons) - len(unlike)} of {len(comparisons)} comparisons agree"
    if not unlike:
        return count
    rest = f"; and {len(unlike) - SHOWN} more" if len(unlike) > SHOWN else ""
    return f"{count}; the others: " + "; ".join(one_of(comparison, pairs) for comparison in unlike[:SHOWN]) + rest


def one_of(comparison: Comparison, pairs: list[Pair]) -> str:
    """A comparison, and of its pair what it does not share with the other pairs: ``at 50: 1.2× (1.1–1.3) slower than
    numba``.
    """
    pair = comparison.pair
    fast = set(varying([p.fast for p in pairs]))
    slow = set(varying([p.slow for p in pairs]))
    shared = {name for name in fast & slow if getattr(pair.fast, name) == getattr(pair.slow, name)}
    where = [word(pair.fast, name) for name in FIELDS if name in fast]
    against = [word(pair.slow, name) for name in FIELDS if name in slow - shared]
    preposition = "than" if comparison.word in (FASTER, SLOWER) else "against"
    tail = f" {preposition} {' '.join(against)}" if against else ""
    return f"{' '.join(where)}: {comparison}{tail}" if where else f"{comparison}{tail}"


@dataclass(frozen=True)
class Criterion:
    """When a claim about pairs holds. ``each_size``: decided by those sizes at which everything was measured."""

    pairs: tuple[Pair, ...]
    each_size: bool = False
    sizes_needed: ClassVar[int] = 1

    @property
    def cases(self) -> list[Case]:
        """Everything that has to be measured."""
        return list(dict.fromkeys(case for pair in self.pairs for case in (pair.fast, pair.slow)))

    def find(self, evidence: Evidence) -> Found | None:
        """The measurements that decide it, or None."""
        if self.each_size:
            return evidence.find_each_size(self.cases, self.sizes_needed)
        return evidence.find(self.cases)

    def judge(self, measurements: Measurements) -> Outcome:
        """What was shown of it."""
        found = self.compare(measurements)
        unlike = [one for one in found if not self.agrees(one)]
        return Outcome(self.direction(found), self.describe(found, unlike, measurements), found, self.size(found))

    def compare(self, measurements: Measurements) -> list[Comparison]:
        """All pairs that were measured."""
        pairs = [pair for pair in self.pairs if {pair.fast, pair.slow} <= measurements.keys()]
        return [self.compared(pair, measurements, len(pairs)) for pair in pairs]

    def compared(self, pair: Pair, measurements: Measurements, among: int) -> Comparison:
        """One of so many pairs."""
        return Comparison(pair, inverse(compared(pair.fast, pair.slow, measurements, among=among)))

    def direction(self, found: list[Comparison]) -> str:
        """Whether it is as the claim says: all pairs are."""
        return every(self.agrees(one) for one in found)

    def size(self, found: list[Comparison]) -> str | None:
        """Whether it is by as much as reported; None where the article gives no ratio."""
        return None

    def describe(self, found: list[Comparison], unlike: list[Comparison], measurements: Measurements) -> str:
        """What was measured, in words."""
        return single(found[0], measurements) if len(found) == 1 else several(found, unlike)

    def agrees(self, comparison: Comparison) -> bool | None:
        """Whether one comparison is shown to be as the claim says; None where neither that nor the contrary is."""
        raise NotImplementedError


class Faster(Criterion):
    """Each is shown to be faster than what it is compared with; one that is shown to be the same or slower is enough
    against it.
    """

    def agrees(self, comparison: Comparison) -> bool | None:
        """Faster."""
        return is_faster(comparison.word)


class NotFaster(Criterion):
    """Each is shown to be the same as what it is compared with, or slower; one that is shown to be faster is enough
    against it.
    """

    def agrees(self, comparison: Comparison) -> bool | None:
        """The same or slower."""
        return is_not_faster(comparison.word)


@dataclass(frozen=True)
class TimesFaster(Faster):
    """Each is shown to be faster, and the whole interval of the ratio is within a factor of 2 of the one reported (of
    the range, where it is one). By less or by more: the whole interval is beyond that.
    """

    ratio: tuple[float, float] = (1, 1)

    def compared(self, pair: Pair, measurements: Measurements, among: int) -> Comparison:
        """One of so many pairs, and whether its ratio is the one reported."""
        return replace(
            super().compared(pair, measurements, among), size=as_reported(pair, measurements, self.ratio, among)
        )

    def size(self, found: list[Comparison]) -> str:
        """Of all ratios together."""
        return size_word(one.size for one in found)

    def describe(self, found: list[Comparison], unlike: list[Comparison], measurements: Measurements) -> str:
        """What was measured, and where the ratio is not the one reported."""
        return said_of_size(super().describe(found, unlike, measurements), self.direction(found), self.size(found))


def said_of_size(text: str, direction: str, size: str) -> str:
    """What was measured, and what that says about the ratio reported."""
    if direction != HOLDS:
        return text
    note = {
        LESS: "less than half of what was reported",
        MORE: "more than twice what was reported",
        OPEN: "whether that is within a factor of 2 of what was reported is not shown",
    }
    return f"{text}; {note[size]}" if size in note else text


@dataclass(frozen=True)
class BestTimesFaster(TimesFaster):
    """One is shown to be faster, and the largest of the ratios is within a factor of 2 of the one reported. By less:
    every ratio is less than half of it; by more: one is more than twice.
    """

    def direction(self, found: list[Comparison]) -> str:
        """One is enough."""
        return somewhere(found)

    def size(self, found: list[Comparison]) -> str:
        """Of the largest, whichever of the ratios that is."""
        words = {one.size for one in found}
        if MORE in words:
            return MORE
        if words == {LESS}:
            return LESS
        return HOLDS if HOLDS in words and OPEN not in words else OPEN

    def describe(self, found: list[Comparison], unlike: list[Comparison], measurements: Measurements) -> str:
        """The largest."""
        largest = max(found, key=lambda comparison: comparison.ratio.ratio)
        text = f"at best, of {len(found)}: {single(largest, measurements)}, size {largest.pair.fast.size:,}"
        return said_of_size(text, self.direction(found), self.size(found))


def somewhere(found: list[Comparison]) -> str:
    """Whether one of several is faster."""
    words = {is_faster(one.word) for one in found}
    return HOLDS if True in words else FAILS if words == {False} else OPEN


@dataclass(frozen=True)
class Grows(TimesFaster):
    """The time is shown to grow, and the whole interval of the factor is within a factor of 2 of the one reported. By
    less or by more: the whole interval is beyond that. The sizes were measured minutes apart, and the interval allows
    for that.
    """

    def describe(self, found: list[Comparison], unlike: list[Comparison], measurements: Measurements) -> str:
        """The factor, and the times at both ends."""
        return said_of_size(growth(found, measurements), self.direction(found), self.size(found))


@dataclass(frozen=True)
class HardlyGrows(TimesFaster):
    """The factor by which the time grows is shown to be at most twice the one reported; it does not hold where it is
    shown to be more. The sizes were measured minutes apart, and the interval allows for that.
    """

    def compared(self, pair: Pair, measurements: Measurements, among: int) -> Comparison:
        """One of so many pairs, and whether it is at most twice what was reported."""
        shown = against(FACTOR * max(self.ratio), pair, measurements, among)
        size = {FASTER: HOLDS, SLOWER: MORE}.get(shown, OPEN)
        return replace(super().compared(pair, measurements, among), size=size)

    def agrees(self, comparison: Comparison) -> bool | None:
        """At most twice what was reported."""
        return {HOLDS: True, MORE: False}.get(comparison.size)

    def size(self, found: list[Comparison]) -> None:
        """The direction says it all."""
        return

    def describe(self, found: list[Comparison], unlike: list[Comparison], measurements: Measurements) -> str:
        """The factor, and the times at both ends."""
        return growth(found, measurements)


def growth(found: list[Comparison], measurements: Measurements) -> str:
    """The factor by which a time grows, and the times at both ends."""
    (one,) = found
    pair = one.pair.fast, one.pair.slow
    ends = (f"{human(measurements[case].value, case.measure)} at {case.size:,}" for case in pair)
    return f"{interval_text(one.ratio)}: {', '.join(ends)}"


class Somewhere(Criterion):
    """There is a measured size at which it is shown to be faster; it does not hold where it is shown to be the same or
    slower at all of them.
    """

    def direction(self, found: list[Comparison]) -> str:
        """One is enough."""
        return somewhere(found)

    def describe(self, found: list[Comparison], unlike: list[Comparison], measurements: Measurements) -> str:
        """Where it is faster, where it is not, and where neither is shown."""
        faster = [f"{c.pair.fast.size:,} ({interval_text(c.ratio)})" for c in found if is_faster(c.word)]
        not_faster = [f"{c.pair.fast.size:,}" for c in found if is_not_faster(c.word)]
        unclear = [f"{c.pair.fast.size:,}" for c in found if is_faster(c.word) is None]
        told = [f"faster at {', '.join(faster)}" if faster else "shown faster at no size"]
        told += [f"not at {', '.join(not_faster)}"] if not_faster else []
        told += [f"unclear at {', '.join(unclear)}"] if unclear else []
        return "; ".join(told)

    def agrees(self, comparison: Comparison) -> bool | None:
        """Faster."""
        return is_faster(comparison.word)


class Overtakes(Somewhere):
    """It is shown not to be faster at the smallest measured size, and to be faster at the largest; it does not hold
    where the contrary of either is shown.
    """

    sizes_needed = 2

    def direction(self, found: list[Comparison]) -> str:
        """The two ends, in the order of the sizes."""
        return every([is_not_faster(found[0].word), is_faster(found[-1].word)])


@dataclass(frozen=True)
class Alike(Criterion):
    """All are shown to be within the share reported of each other (25 % where the article gives none): the fastest
    takes at most so much less time than the slowest. It does not hold where two are shown to differ by more. Intervals
    that overlap are no evidence of being alike.
    """

    within: float = TIED

    def compare(self, measurements: Measurements) -> list[Comparison]:
        """Every two of what competes, at each size."""
        together: dict[int | None, list[Case]] = {}
        for case in self.cases:
            if case in measurements:
                together.setdefault(case.size if self.each_size else None, []).append(case)
        pairs = [Pair(*two) for group in together.values() for two in itertools.combinations(group, 2)]
        return [self.compared(pair, measurements, len(pairs)) for pair in pairs]

    def compared(self, pair: Pair, measurements: Measurements, among: int) -> Comparison:
        """One of so many pairs, by the share reported."""
        factor = 1 / (1 - self.within)
        return Comparison(pair, inverse(compared(pair.fast, pair.slow, measurements, factor, among)))

    def agrees(self, comparison: Comparison) -> bool | None:
        """The same, for all that the share reported says."""
        return {SAME: True, UNCLEAR: None}.get(comparison.word, False)

    def describe(self, found: list[Comparison], unlike: list[Comparison], measurements: Measurements) -> str:
        """The times, and their ratios."""
        if len(found) == 1 or self.each_size:
            return super().describe(found, unlike, measurements)
        return f"{times(self.cases, measurements)}: {super().describe(found, unlike, measurements)}"


@dataclass(frozen=True)
class NoSingleWinner:
    """Every backend is shown to be slower than another somewhere. It does not hold where one backend is shown to be
    faster than all others, or the same, everywhere.
    """

    groups: tuple[tuple[Case, ...], ...]
    pairs: ClassVar[tuple[Pair, ...]] = ()

    @property
    def cases(self) -> list[Case]:
        """Everything that has to be measured."""
        return [case for group in self.groups for case in group]

    def find(self, evidence: Evidence) -> Found | None:
        """The measurements that decide it, or None."""
        return evidence.find(self.cases)

    def judge(self, measurements: Measurements) -> Outcome:
        """By what every backend is against every other, group by group."""
        two = [(one, other) for group in self.groups for one, other in itertools.permutations(group, 2)]
        words: dict[str, list[tuple[str, str]]] = {}
        for one, other in two:
            found = compared(one, other, measurements, among=len(two) // 2)
            words.setdefault(one.backend, []).append((found.verdict, f"{one.kernel} {one.size:,}"))
        beaten = {
            backend: list(dict.fromkeys(where for shown, where in shown_of if shown == SLOWER))
            for backend, shown_of in words.items()
        }
        winner = any(all(shown in (FASTER, SAME) for shown, _ in shown_of) for shown_of in words.values())
        direction = FAILS if winner else HOLDS if all(beaten.values()) else OPEN
        text = "shown to be slower than another: " + ", ".join(
            f"{backend} in {len(places)} of {len(self.groups)}" for backend, places in beaten.items()
        )
        return Outcome(direction, text)
