"""Whether the allocator's two states give a call two times.

A process that has freed a large block retains what its calls free; another gives it back to the system, and takes it
anew with page faults (`benchmarks.allocator`). Both are in use, so that neither is left out in silence where they
differ.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median

#: Seconds that a page fault takes at most, with the zeroing of the page.
FAULT = 1e-6

#: Page faults that could make no more than this share of a call, or fewer of them in a call, leave no difference: while
#: none occur, the allocator neither takes memory nor gives any back, whatever its thresholds are.
SHARE, FEWEST = 0.001, 0.5

#: A share of a call's time, and a ratio of the times in both states, above which these differ: two batches of one
#: process, seconds apart, differ by less.
CLEAR, RATIO = 0.02, 1.10

#: When sides take turns again in the other state: never, where page faults say that it may matter, always.
NEVER, WHERE_FAULTS, ALWAYS = "never", "where there are page faults", "always"


def may_differ(seconds: float | None, faults: float | None) -> bool:
    """Whether the page faults of a call leave room for a difference. ``seconds``: of a call."""
    return bool(seconds and faults and faults >= FEWEST and faults * FAULT >= SHARE * seconds)


def differ(
    batches: Sequence[float | None] | None,
    faults: float | None,
    retained: Sequence[float | None] | None,
    retained_faults: float | None,
) -> bool:
    """Whether one process's calls took two times: seconds a call batch by batch, and page faults a call, in the usual
    state and where it retained freed memory.
    """
    times = [median(known) for values in (batches, retained) if (known := [value for value in values or () if value])]
    if len(times) < 2:
        return False
    pages = abs((faults or 0.0) - (retained_faults or 0.0))
    return pages * FAULT >= CLEAR * min(times) or abs(math.log(times[1] / times[0])) > math.log(RATIO)
