"""One comparison of a claim: what the claim says is faster, what it is compared with, and what was measured of both."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from arrayspeed.decide.compare import Level, Ratio, compare
from arrayspeed.decide.words import FASTER, SAME, SLOWER, UNCLEAR
from arrayspeed.records.levels import Case, spell_between

#: How far a measured ratio may be from the one reported: hardware and versions differ.
FACTOR = 2

#: The factor of a comparison in which any difference counts.
DIRECTION_ALONE = 1.0

#: The words of a direction, and of a size.
HOLDS, FAILS, OPEN = "holds", "does not hold", "not shown"
LESS, MORE = "by less", "by more"

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


# Whether one comparison is shown to be as a claim says: True speaks for it, False against it, None neither.


def is_faster(comparison: Comparison) -> bool | None:
    """Return whether "faster" was shown."""
    return {FASTER: True, UNCLEAR: None}.get(comparison.word, False)


def is_not_faster(comparison: Comparison) -> bool | None:
    """Return whether "the same or slower" was shown."""
    shown = is_faster(comparison)
    return None if shown is None else not shown


def is_same(comparison: Comparison) -> bool | None:
    """Return whether "the same" was shown."""
    return {SAME: True, UNCLEAR: None}.get(comparison.word, False)


def is_at_most(comparison: Comparison) -> bool | None:
    """Return whether the ratio was shown to be at most what `at_most_reported` allows."""
    shown: dict[str | None, bool] = {HOLDS: True, MORE: False}
    return shown.get(comparison.size)


# Whether the ratio of a pair is the one reported, or in the range reported.

Reported = tuple[float, float]


def against(number: float, pair: Pair, measurements: Measurements, among: int, factor: float = DIRECTION_ALONE) -> str:
    """Return what is shown of a pair's ratio against a number: the word of the ratio, so "slower" is more."""
    slow = measurements[pair.slow].times(1 / number)
    return compare(slow, measurements[pair.fast], factor, spell_between(pair.slow, pair.fast), among).verdict


def as_reported(reported: Reported, pair: Pair, measurements: Measurements, among: int) -> str:
    """Return whether a ratio is within `FACTOR` of the one reported, or of a range."""
    lowest, highest = reported
    middle = math.sqrt(lowest * highest)
    shown = against(middle, pair, measurements, among, FACTOR * highest / middle)
    return {SAME: HOLDS, FASTER: LESS, SLOWER: MORE}.get(shown, OPEN)


def at_most_reported(reported: Reported, pair: Pair, measurements: Measurements, among: int) -> str:
    """Return whether a ratio is at most `FACTOR` times the one reported."""
    return {FASTER: HOLDS, SLOWER: MORE}.get(against(FACTOR * max(reported), pair, measurements, among), OPEN)
