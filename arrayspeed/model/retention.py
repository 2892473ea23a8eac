"""Whether the allocator's two states give a call two times.

A process that has freed a large block retains what its calls free; another gives it back to the system, and takes it
anew with page faults (`benchmarks.allocator`). Both are in use, so that neither is left out in silence where they
differ.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from statistics import median

#: Seconds that a page fault takes at most, with the zeroing of the page.
FAULT = 1e-6

#: Page faults that could make no more than this share of a call, or fewer of them in a call, leave no difference: while
#: none occur, the allocator neither takes memory nor gives any back, whatever its thresholds are.
SHARE, FEWEST = 0.002, 0.5

#: A share of a call's time above which more page faults in one state make a difference. Where both have as many, the
#: ratio of the times above which they differ all the same (a heap that grows with every call is slower than blocks that
#: come and go): most turns of one process, seconds apart, differ by less, but a spell of a shared machine is as large.
CLEAR, RATIO = 0.02, 1.25

#: What the second state is called.
RETAINED = "memory retained"

#: When sides take turns again in the other state: never, where page faults say that it may matter, always.
NEVER, WHERE_FAULTS, ALWAYS = "never", "where there are page faults", "always"


def may_differ(seconds: float | None, faults: float | None) -> bool:
    """Return whether the page faults of a call leave room for a difference. ``seconds``: of a call."""
    return bool(seconds and faults and faults >= FEWEST and faults * FAULT >= SHARE * seconds)


def apart(seconds: Iterable[float | None], faults: Iterable[float | None]) -> bool:
    """Return whether the page faults of two sides' calls differ by so many that they alone would make two times of
    them. ``seconds``: of a call of each side.
    """
    times, counts = [one for one in seconds if one], [one or 0.0 for one in faults]
    return bool(times) and (max(counts) - min(counts)) * FAULT >= CLEAR * min(times)


#: Seconds and page faults of a call of one process, in the usual state and where it retained freed memory.
Both = tuple[float | None, float | None, float | None, float | None]


def differ(usual: float | None, faults: float | None, retained: float | None, retained_faults: float | None) -> bool:
    """Return whether one process's calls took two times: seconds and page faults of a call, in the usual state and
    where it retained freed memory.
    """
    return any_differ([(usual, faults, retained, retained_faults)])


def any_differ(processes: Iterable[Both]) -> bool:
    """Return whether the calls of several processes took two times: by the page faults of any, or by the median of
    their ratios, since a spell of the machine moves the ratios of a round.
    """
    ratios = []
    for usual, faults, retained, retained_faults in processes:
        if not usual or not retained or not (may_differ(usual, faults) or may_differ(retained, retained_faults)):
            continue
        pages = abs((faults or 0.0) - (retained_faults or 0.0))
        if pages * FAULT >= CLEAR * min(usual, retained):
            return True
        ratios.append(math.log(retained / usual))
    return bool(ratios) and abs(median(ratios)) > math.log(RATIO)
