"""What the pages need for means over kernels.

``families-N.json`` holds, of environment N, a list: the geometric means over each family's kernels at their small or
large sizes, of one measure and precision. ``times`` says how many times less each backend is than each other one:
ratio, low and high of its 95 % interval, a word, and the number of kernels that both of them have. ``kernels`` are
those that any of them has.

``weights-N.json`` holds what a weighted mean is made of (`arrayspeed.decide.weighted`), for readers who choose the
weights:

``names``
    The backends.
``least``, ``exact``, ``shared``
    The constants of that module.
``lowest``, ``step``, ``quantiles``
    What a standard error is multiplied by, for the interval and for the word, of degrees of freedom from ``lowest`` on,
    each so many times the one before.
``groups``
    One measure, precision, kernel and size. ``shifts``: the logarithm of each backend's value, None where there is none
    or where it computes in another way. ``pairs``: of each pair of backends, the first before the second, the logarithm
    of their ratio, its standard error, the degrees of freedom of that, and whether they took turns; then the first
    three again where memory is retained, if one of them takes another time there. ``rounds``: the logarithms of each
    backend's processes, where they are used.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from arrayspeed.decide.compare import Level, margins
from arrayspeed.decide.weighted import EXACT, MOST, ROUNDS, SHARED, Part, part, weighted_mean
from arrayspeed.records.levels import Case, factor_of, inverse
from arrayspeed.report.decisions import groups, is_known, listed, name
from kernels import CATALOGUE

LABELS = ("small", "large")

#: Degrees of freedom of the table of quantiles: the lowest, and each over the one before.
LOWEST, STEP = 0.1, 1.01

#: Measure, precision, label, and a kernel or a family.
Key = tuple[str, str | None, str, str]

#: Measure, precision, label and kernel -> backend on a device -> its level.
Table = dict[Key, dict[str, Level]]


def comparable(levels: Mapping[Case, Level]) -> Table:
    """Return what can be part of a mean: small and large sizes, without what computes in another way than the kernel
    says.
    """
    found: Table = {}
    for cases in groups({case: level for case, level in levels.items() if is_known(case)}):
        first = cases[0]
        for label in LABELS:
            if getattr(CATALOGUE[first.kernel], label) == first.size:
                same = {name(case): levels[case] for case in cases if not case.other_way}
                found[first.measure, first.dtype, label, first.kernel] = same
    return found


def families(levels: Mapping[Case, Level]) -> list[dict[str, Any]]:
    """Return the means over each family's kernels."""
    by_family: dict[Key, dict[str, dict[str, Level]]] = defaultdict(dict)
    for (measure, dtype, label, kernel), found in comparable(levels).items():
        by_family[measure, dtype, label, CATALOGUE[kernel].family][kernel] = found
    return [family(key, of_family) for key, of_family in by_family.items()]


def family(key: Key, of_family: Mapping[str, Mapping[str, Level]]) -> dict[str, Any]:
    """Return the means over one family's kernels."""
    names = list(dict.fromkeys(one for found in of_family.values() for one in found))
    factor = factor_of(key[0])
    where = dict(zip(("measure", "dtype", "label", "family"), key, strict=True))
    times = [[mean(row, column, of_family, factor) for column in names] for row in names]
    return where | {"names": names, "kernels": list(of_family), "times": times}


def mean(row: str, column: str, of_family: Mapping[str, Mapping[str, Level]], factor: float) -> list[Any] | None:
    """Return how many times less one is than another, over the kernels that both have; None where there are none."""
    parts = [part(one[row], one[column]) for one in of_family.values() if row in one and column in one]
    if row == column or not parts:
        return None
    return [*listed(inverse(weighted_mean(parts, [1.0] * len(parts), factor))), len(parts)]


def weights(levels: Mapping[Case, Level]) -> dict[str, Any]:
    """Return what weighted means are made of."""
    table = comparable(levels)
    names = list(dict.fromkeys(one for found in table.values() for one in found))
    among = max(1, len(names) - 1)
    count = math.ceil(math.log(MOST / LOWEST, STEP)) + 1
    return {
        "names": names,
        "least": ROUNDS,
        "exact": EXACT,
        "shared": SHARED,
        "lowest": LOWEST,
        "step": STEP,
        "quantiles": [margins(1.0, LOWEST * STEP**number, among) for number in range(count)],
        "groups": [group(key, one, names) for key, one in table.items()],
    }


def group(key: Key, levels: Mapping[str, Level], names: Sequence[str]) -> dict[str, Any]:
    """One kernel at one size."""
    # Those that took turns are not compared by rounds, nor is one that did with one that did not.
    rounds = [levels[each].rounds if each in levels and not levels[each].met else () for each in names]
    pairs = [
        numbers(part(levels[one], levels[other])) if one in levels and other in levels else None
        for one, other in itertools.combinations(names, 2)
    ]
    return dict(zip(("measure", "dtype", "label", "kernel"), key, strict=True)) | {
        "shifts": [digits(levels[each].shift) if each in levels else None for each in names],
        "pairs": pairs,
        "rounds": [[digits(value) for value in one] if len(one) >= ROUNDS else [] for one in rounds],
    }


def numbers(pair: Part) -> list[float]:
    """Return a ratio as the file has it."""
    states = [pair, pair.retained] if pair.retained else [pair]
    first, *again = ([digits(one.shift), digits(one.error), held(one.freedom)] for one in states)
    return [*first, int(pair.in_turn), *itertools.chain(*again)]


def held(freedom: float) -> float:
    """Return degrees of freedom, within those of the table of quantiles."""
    return round(min(max(freedom, LOWEST), MOST), 3)


def digits(value: float) -> float:
    """Return a logarithm, to a hundred-thousandth of what it is the logarithm of."""
    return round(value, 6)
