"""What the landing page answers of each environment: which backends are the best over a family's kernels.

``answers-N.json`` holds, of environment N, a list: a family's kernels at their small or large sizes, in one precision,
by the time of a call, on one device or on ``all`` together.

``best``
    The backends that are not shown to be slower than another, the fastest first.
``others``
    The rest, likewise: name, the fastest that they are shown to be slower than, and how many times as long as that they
    take: ratio, low and high of its interval, the one that words are decided by.
``lacking``
    Backends that lack some of the kernels, or compute them in another way, and how many they have. They do not compete:
    a mean over fewer kernels is of other work.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations

from arrayspeed.decide.compare import Level, word
from arrayspeed.decide.weighted import Part, combined, part
from arrayspeed.decide.words import SLOWER
from arrayspeed.model.measures import CALL
from arrayspeed.records.levels import Case, factor_of
from arrayspeed.report.decisions import ALL
from arrayspeed.report.files import rounded
from arrayspeed.report.weights import comparable
from kernels import CATALOGUE, DEVICES

#: A kernel's backends, as ``backend, device``, and their levels.
Kernel = Mapping[str, Level]


def answers(levels: Mapping[Case, Level]) -> list[dict]:
    """The standing of every family, size, precision and device."""
    families: dict[tuple, dict[str, Kernel]] = defaultdict(dict)
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
    """The kernels that have a value on a device, with these alone."""
    found = {
        kernel: {name: level for name, level in one.items() if name.endswith(f", {device}")}
        for kernel, one in kernels.items()
    }
    return {kernel: one for kernel, one in found.items() if one}


def standing(kernels: Mapping[str, Kernel]) -> dict:
    """Which of those that have all of the kernels are the best, and how far behind the others are."""
    count = Counter(name for one in kernels.values() for name in one)
    whole = [name for name in count if count[name] == len(kernels)]
    means = pairwise(whole, list(kernels.values()))
    order = sorted(whole, key=lambda name: means[name, whole[0]].shift)
    before = {name: [other for other in order if is_slower(means[name, other])] for name in order}
    return {
        "kernels": list(kernels),
        "best": [name for name in order if not before[name]],
        "others": [[name, before[name][0], *ends(means[name, before[name][0]])] for name in order if before[name]],
        "lacking": [[name, number] for name, number in count.items() if number < len(kernels)],
    }


def pairwise(names: Sequence[str], kernels: Sequence[Kernel]) -> dict[tuple[str, str], Part]:
    """The mean of each one over each other, and over itself."""
    among = max(1, len(names) - 1)
    weights = [1.0] * len(kernels)
    found = {(name, name): Part(0.0, 0.0, 0.0) for name in names}
    for one, other in combinations(names, 2):
        mean = combined([part(kernel[one], kernel[other], among) for kernel in kernels], weights, among)
        found[one, other] = mean
        found[other, one] = Part(-mean.shift, mean.margin, mean.strict)
    return found


def is_slower(mean: Part) -> bool:
    """Whether a mean is shown to be."""
    return word(mean.shift, mean.strict, factor_of(CALL.name)) == SLOWER


def ends(mean: Part) -> list[float | None]:
    """A ratio and the interval that its word is decided by."""
    return [rounded(math.exp(mean.shift + side * mean.strict)) for side in (0, -1, 1)]
