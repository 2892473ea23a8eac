"""What the landing page says of a library's releases.

``newest-MACHINE-LIBRARY.json`` holds:

``before``, ``version``
    The newest release that was measured and the one before it; None where there are not two.
``counts``
    Measure -> verdict -> how many combinations the newest release is shown to be so in, against the one before it.
``together``
    Of how many combinations the two took turns.
``changes``
    The largest steps over all releases, errors left out: their ratios span decades. ``why``: the reason, if known.
``dates``
    Release -> when it was published, of those that were measured, as far as it is known.
``newer``
    That the index has a newer release, and as of when; "" where it has none.
``first``
    How long calls took in the oldest release that took turns with the anchor, relative to that: one geometric mean
    over kernels for each backend, device, precision and label of sizes.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from arrayspeed.decide import FACTOR
from arrayspeed.model.measures import CALL, measure_of
from arrayspeed.records.levels import COLUMNS
from arrayspeed.records.released import Released
from arrayspeed.versions.history import Measured, order
from arrayspeed.versions.reasons import reason
from arrayspeed.versions.steps import Series, Step, decide

#: How many steps are shown.
LARGEST = 3


def newest(
    machine: str,
    library: str,
    every: Sequence[Measured],
    series: Iterable[Series],
    means: Iterable[dict[str, Any]],
    released: Released,
) -> dict[str, Any]:
    """Return all of it, of what was measured of a library, its series, their means (`arrayspeed.report.series`), and
    dates.
    """
    releases = sorted({version for one in every for version in one.sides}, key=order)
    before, version = releases[-2:] if len(releases) > 1 else (None, None)
    pairs = [
        (one, before, version)
        for one in every
        if before is not None and version is not None and {before, version} <= one.sides.keys()
    ]
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for (one, *_), decision in zip(pairs, decide(pairs, FACTOR), strict=True):
        counts[one.measure][decision.verdict] += 1
    return {
        "before": before,
        "version": version,
        "counts": counts,
        "together": sum(one.met(old, new) for one, old, new in pairs),
        "changes": [step | {"why": reason(machine, library, step)} for step in largest(series)],
        "dates": {each: date for each in releases if (date := released.dates.get(library, {}).get(each))},
        "newer": released.text(library, releases[-1]) if releases else "",
        "first": [mean | {"points": mean["points"][:1]} for mean in means if mean["measure"] == CALL.name],
    }


def largest(series: Iterable[Series]) -> list[dict[str, Any]]:
    """Return the largest steps of all, what fails or works again before those that have a ratio."""
    steps = [(one, step) for one in series if not measure_of(one.measure).exact for step in one.steps]
    steps.sort(key=lambda entry: size(entry[1]), reverse=True)
    return [{name: getattr(one, name) for name in COLUMNS} | vars(step) for one, step in steps[:LARGEST]]


def size(step: Step) -> float:
    """Return how large a step is, in either direction."""
    return math.inf if step.ratio is None else abs(math.log(step.ratio))
