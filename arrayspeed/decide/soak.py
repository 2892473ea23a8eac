"""What many calls of one process do in the end: whether memory grows with every call, and whether calls become slower.

Memory is looked at in the later half of the calls, since caches fill and allocators learn at the beginning. What
processes do in so long a time varies more than an interval within one of them says: `confirmed` asks two pairs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from arrayspeed.decide.words import ERROR_RATE

LEAKS, NO_LEAK, UNCLEAR = "leaks", "no leak", "unclear"
SLOWER, STEADY = "becomes slower", "steady"

#: Bytes that the later half of the calls may take together, which caches and free lists reach: by the process's own
#: resident memory, which moves by pages and arenas, and by the allocators' exact count.
MARGIN, COUNTED = 2**19, 2**17

#: Groups of times, of each of which the median counts.
GROUPS = 20


@dataclass(frozen=True)
class Slope:
    """Growth a call, with its interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Memory:
    """What is shown of one process.

    Attributes
    ----------
    verdict
        `LEAKS`, `NO_LEAK` or `UNCLEAR`.
    slope
        Bytes a call; None where the system does not report memory.
    calls
        Calls of the later half, in which that was seen.
    """

    verdict: str
    slope: Slope | None
    calls: int


@dataclass(frozen=True)
class Drift:
    """By how much calls of the new side became slower than those of the old one, from the first call to the last: a
    ratio with its interval, and a word.
    """

    verdict: str
    ratio: float
    low: float
    high: float


def memory(resident: Slope | None, counted: Slope | None, calls: int) -> Memory:
    """Return what two witnesses show of a process: a leak where either does, and none only where both allow it.

    Parameters
    ----------
    resident
        Growth of the process's own memory a call.
    counted
        Growth of what its allocators have handed out.
    calls
        The calls in which both were seen.
    """
    known = [(slope, margin) for slope, margin in ((counted, COUNTED), (resident, MARGIN)) if slope is not None]
    if not known or not calls:
        return Memory(UNCLEAR, None, calls)
    leaking = [slope for slope, margin in known if slope.low > 0 and slope.low * calls > margin]
    if leaking:
        return Memory(LEAKS, leaking[0], calls)
    largest = max((slope for slope, _ in known), key=lambda slope: slope.high)
    none = all(slope.high * calls <= margin for slope, margin in known)
    return Memory(NO_LEAK if none else UNCLEAR, largest, calls)


def drift(old: Sequence[float], new: Sequence[float], factor: float, limit: float) -> Drift:
    """Return whether calls of the new side become slower than those of the old one meanwhile.

    Times of both sides were taken in turn. The slope of the logarithm of their ratio is that of Theil and Sen, with its
    interval, over medians of groups: neighbouring times depend on each other.

    Parameters
    ----------
    old, new
        Seconds of a call, reading by reading.
    factor, limit
        The ratio beyond which calls become slower, and the one that must be excluded for them to be steady.

    Raises
    ------
    ValueError
        There are less than three times of a side.
    """
    ratios = [math.log(after / before) for before, after in zip(old, new, strict=False)]
    if len(ratios) < 3:
        raise ValueError("three times at least are needed for a slope")
    groups = min(GROUPS, len(ratios))
    edges = [len(ratios) * place // groups for place in range(groups + 1)]
    middles = [median(ratios[before:after]) for before, after in pairwise(edges)]
    # From the middle of the first group to that of the last is less than from the first call to the last.
    places = [(before + after) / 2 / len(ratios) for before, after in pairwise(edges)]
    from scipy.stats import theilslopes  # long to import, and nothing else needs it

    found = theilslopes(middles, places, alpha=1 - ERROR_RATE)
    ratio, low, high = (math.exp(each) for each in (found.slope, found.low_slope, found.high_slope))
    if low > factor:
        return Drift(SLOWER, ratio, low, high)
    return Drift(STEADY if high <= limit else UNCLEAR, ratio, low, high)


def confirmed(first: Drift, second: Drift) -> Drift:
    """Return the drift of two pairs of processes: slower where both say so, and else the one that says less."""
    if first.verdict == second.verdict == SLOWER:
        return min(first, second, key=lambda each: each.ratio)
    if STEADY in (first.verdict, second.verdict):
        return first if first.verdict == STEADY else second
    low, high = min(first.low, second.low), max(first.high, second.high)
    return Drift(UNCLEAR, math.sqrt(first.ratio * second.ratio), low, high)


def differ(old: Memory, new: Memory, factor: float) -> bool | None:
    """Return whether the new side leaks and the old one does not, or less; None where that is not shown."""
    if new.verdict == UNCLEAR or (old.verdict == UNCLEAR and new.verdict == LEAKS):
        return None
    if new.verdict == NO_LEAK or new.slope is None:
        return False
    return old.verdict == NO_LEAK or old.slope is None or new.slope.low > factor * old.slope.high
