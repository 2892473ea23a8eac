"""After how many calls compiling has paid off: the total time of all calls, the first included, is less than without.

Both totals have an error of their own, so the number of calls has an interval: after its lower end the compiled form is
no longer shown to have taken longer, from its upper end on it is shown to have taken less.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from arrayspeed.decide.compare import APART, Level, compare
from arrayspeed.decide.words import FASTER, SLOWER
from arrayspeed.records.levels import Case

#: Nobody waits for more calls than this.
MOST = 10**8

#: No factor: to have paid is to have taken less time, by however little.
LESS = 1.0


def total(first: Level, each: Level, calls: int) -> tuple[Level, float]:
    """Return the time of so many calls, and the share of it that the first takes."""
    parts = first.value, (calls - 1) * each.value
    share = parts[0] / sum(parts)
    variances = share**2 * first.variance, (1 - share) ** 2 * each.variance
    # Satterthwaite (1946): the degrees of freedom of a sum of variances.
    below = sum(v**2 / one.freedom for v, one in zip(variances, (first, each), strict=True))
    freedom = sum(variances) ** 2 / below if below else math.inf
    return Level(math.log(sum(parts)), sum(variances), freedom, first.processes), share


def word(calls: int, compiled: tuple[Level, Level], eager: tuple[Level, Level]) -> str:
    """Return what is shown of the time of so many calls, compiled against eager.

    First calls and later ones were measured minutes apart: a change of the machine's speed in between counts by how
    much more of one total than of the other is a first call.
    """
    (one, one_share), (other, other_share) = total(*compiled, calls), total(*eager, calls)
    return compare(one, other, LESS, APART * abs(one_share - other_share)).verdict


def break_even(first: Case, steady: Case, eager: str, levels: Mapping[Case, Level]) -> dict[str, Any] | None:
    """Return the interval of the number of calls after which compiling has paid.

    ``low`` is None where it may have paid from the first call on, and ``high`` where it is not shown to pay at all;
    ``never``: it is shown not to pay in `MOST` calls. None where the eager form was not measured.
    """
    other = replace(steady, backend=eager)
    if other not in levels:
        return None
    # Without a first call of its own, an eager form is as fast at first as later.
    other_first = levels.get(replace(first, backend=eager), levels[other])
    forms = (levels[first], levels[steady]), (other_first, levels[other])
    calls = range(1, MOST + 1)
    paying = bisect.bisect_left(calls, True, key=lambda count: word(count, *forms) == FASTER)
    costing = bisect.bisect_left(calls, True, key=lambda count: word(count, *forms) != SLOWER)
    return {
        "low": None if costing == 0 else calls[costing - 1] if costing < len(calls) else MOST,
        "high": calls[paying] if paying < len(calls) else None,
        "never": costing == len(calls),
        "way": first.other_way or other.other_way,
    }
