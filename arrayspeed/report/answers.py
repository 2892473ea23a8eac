"""What the landing page answers of each environment: which backends are the best over a family's kernels.

``answers-N.json`` holds, of environment N, a list: a family's kernels at their small or large sizes, in one precision,
by the time of a call, on one device or on ``all`` together.

``best``
    The backends that are not shown to be slower than another, the fastest first.
``others``
    The rest, likewise: name, the fastest that they are shown to be slower than, and how many times as long as that they
    take: ratio, low and high of its interval, the one that words are decided by.
``apart``
    Backends that took turns with no other in some kernel.
``lacking``
    Backends that lack some of the kernels, or compute them in another way, and how many they have. They do not compete:
    a mean over fewer kernels is of other work.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any

from arrayspeed.decide.compare import Level
from arrayspeed.decide.weighted import Mean, weighted_order
from arrayspeed.model.measures import CALL
from arrayspeed.records.levels import Case, factor_of
from arrayspeed.report.decisions import ALL
from arrayspeed.report.files import rounded
from arrayspeed.report.weights import comparable
from kernels import CATALOGUE, DEVICES

#: A kernel's backends, as ``backend, device``, and their levels.
Kernel = Mapping[str, Level]


def answers(levels: Mapping[Case, Level]) -> list[dict[str, Any]]:
    """Return the standing of every family, size, precision and device."""
    families: dict[tuple[str, str, str | None], dict[str, Kernel]] = defaultdict(dict)
    for (measure, dtype, label, kernel), found in comparable(levels).items():
        if measure == CALL.name and found:
            families[CATALOGUE[kernel].family, label, dtype][kernel] = found
    rows = []
    for (family, label, dtype), kernels in families.items():
        row = {"family": family, "label": label, "dtype": dtype}
        on = {device: on_device(kernels, device) for device in DEVICES}
        used = {device: found for device, found in on.items() if found}
        if len(used) > 1:
            used[ALL] = kernels
        rows += [row | {"device": device} | standing(found) for device, found in used.items()]
    return rows


def on_device(kernels: Mapping[str, Kernel], device: str) -> dict[str, Kernel]:
    """Return the kernels that have a value on a device, with these alone."""
    found = {
        kernel: {name: level for name, level in one.items() if name.endswith(f", {device}")}
        for kernel, one in kernels.items()
    }
    return {kernel: one for kernel, one in found.items() if one}


def standing(kernels: Mapping[str, Kernel]) -> dict[str, Any]:
    """Return which of those that have all of the kernels are the best, and how far behind the others are."""
    count = Counter(name for one in kernels.values() for name in one)
    whole = [name for name in count if count[name] == len(kernels)]
    levels_of = {name: [one[name] for one in kernels.values()] for name in whole}
    order = weighted_order(levels_of, [1.0] * len(kernels), factor_of(CALL.name))
    return {
        "kernels": list(kernels),
        "best": [name for name, behind in order.items() if behind is None],
        "others": [[name, behind[0], *ends(behind[1])] for name, behind in order.items() if behind is not None],
        "apart": sorted({name for one in kernels.values() for name, level in one.items() if not level.met}),
        "lacking": [[name, number] for name, number in count.items() if number < len(kernels)],
    }


def ends(mean: Mean) -> list[float]:
    """Return a ratio and the interval that its word is decided by."""
    return [rounded(math.exp(one)) for one in (mean.shift, *mean.strict)]
