"""What the pages say about two values: made here, by `arrayspeed.decide`, once for each environment.

``decisions-N.json`` holds, of environment N:

``groups``
    Values that compete: one measure, precision, kernel and size. ``best``: for each device, and for ``all`` together,
    the backends that cannot be told apart from the best, the fastest first. ``apart``: those that took turns with no
    other. ``retained``: backend -> its value where freed memory is retained, of those that have another one there, and
    the usual one. ``times``, of small and large sizes only: how many times less the value of the backend in each row is
    than that in each column.
``crossovers``
    Where one backend overtakes another as the size grows: ``last`` is the last size at which the other is shown to be
    better, ``first`` the first at which the one is; ``between`` are sizes at which neither is shown, and ``command``
    measures sizes between that have no values yet.
``compiling``
    Compiled backends: the first call over the ones after, and after how many calls compiling has paid off.
``limits``
    How close the best come to what the machine can do (`arrayspeed.report.limits`).

A ratio is a list: ratio, low and high of its 95 % interval, and a word; then the ratio where freed memory is retained,
if the interval encloses that too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from arrayspeed.decide.compare import Level, Ratio, crossover
from arrayspeed.decide.words import FASTER, SAME, SLOWER, UNCLEAR
from arrayspeed.model.measures import CALL, FIRST_CALL
from arrayspeed.records.levels import Case, best_of, compared, factor_of, inverse
from arrayspeed.records.peaks import Peaks
from arrayspeed.report.backends import BASELINE, EAGER
from arrayspeed.report.breakeven import break_even
from arrayspeed.report.files import interval, rounded
from arrayspeed.report.limits import limits
from kernels import BACKENDS, CATALOGUE, DEVICES

#: The name under which all devices are compared together.
ALL = "all"

#: Less is better in every measure, so what takes less is better.
BETTER = {FASTER: "better", SLOWER: "worse", SAME: "same", UNCLEAR: "unclear"}

Levels = Mapping[Case, Level]


def decisions(levels: Levels, peaks: Peaks | None = None) -> dict[str, Any]:
    """Return all of them, of the levels of one environment and what its machine can do; what is not in the catalogue
    competes with nothing.
    """
    levels = {case: level for case, level in levels.items() if is_known(case)}
    return {
        "groups": [group(cases, levels) for cases in groups(levels)],
        "crossovers": list(crossovers(levels)),
        "compiling": list(compiling(levels)),
        "limits": limits(levels, peaks),
    }


def is_known(case: Case) -> bool:
    """Return whether a case is one of the catalogue, on a backend and device that there are."""
    return case.kernel in CATALOGUE and case.backend in BACKENDS and case.device in DEVICES and case.size is not None


def listed(ratio: Ratio) -> list[Any]:
    """Return a ratio as the pages read it."""
    retained = [rounded(ratio.retained.ratio)] if ratio.retained else []
    return [*interval(ratio), BETTER[ratio.verdict], *retained]


def groups(levels: Levels) -> Iterable[list[Case]]:
    """Cases that compete, in the order of backends and devices."""
    found = defaultdict(list)
    order = list(BACKENDS)
    for case in sorted(levels, key=lambda case: (order.index(case.backend), DEVICES.index(case.device))):
        found[case.measure, case.dtype, case.kernel, case.size].append(case)
    return found.values()


def name(case: Case) -> str:
    """Return a backend on a device."""
    return f"{case.backend}, {case.device}"


def group(cases: Sequence[Case], levels: Levels) -> dict[str, Any]:
    """One group: its best sets, and its ratios where pages show them."""
    first = cases[0]
    kernel = CATALOGUE[first.kernel]
    found: dict[str, Any] = {
        "measure": first.measure,
        "dtype": first.dtype,
        "kernel": first.kernel,
        "size": first.size,
        "names": [name(case) for case in cases],
        "best": best_by_device(cases, levels),
        "apart": [name(case) for case in cases if not levels[case].met],
        "retained": {
            name(case): [rounded(levels[case].value), rounded(value)]
            for case in cases
            if (value := levels[case].value_retained)
        },
    }
    if first.size in (kernel.small, kernel.large):
        found["times"] = [[times(row, column, levels) for column in cases] for row in cases]
    return found


def times(row: Case, column: Case, levels: Levels) -> list[Any] | None:
    """Return how many times less ``row`` is than ``column``."""
    return None if row == column else listed(inverse(compared(row, column, levels)))


def best_by_device(cases: Sequence[Case], levels: Levels) -> dict[str, list[str]]:
    """Return the best set on each device, and on all together where there are several."""
    devices = list(dict.fromkeys(case.device for case in cases if case.device is not None))
    found = {device: best_of([case for case in cases if case.device == device], levels) for device in devices}
    if len(devices) > 1:
        found[ALL] = best_of(cases, levels)
    return {device: [name(case) for case in members] for device, members in found.items()}


def crossovers(levels: Levels) -> Iterator[dict[str, Any]]:
    """Of NumPy with every other backend, and of an eager form with its compiled one, on any devices; by kernel."""
    curves: dict[tuple[str, str | None, str], dict[Case, dict[int, Level]]] = defaultdict(lambda: defaultdict(dict))
    for case, level in levels.items():
        assert case.size is not None  # `is_known`
        curves[case.measure, case.dtype, case.kernel][replace(case, size=None)][case.size] = level
    for of_kernel in curves.values():
        for one, other in related(of_kernel):
            if place := crossover(of_kernel[one], of_kernel[other], factor_of(one.measure)):
                sizes = of_kernel[one].keys() & of_kernel[other].keys()
                between = sorted(size for size in sizes if place.last < size < place.first)
                yield {
                    "measure": one.measure,
                    "dtype": one.dtype,
                    "kernel": one.kernel,
                    "one": name(one),
                    "other": name(other),
                    "last": place.last,
                    "first": place.first,
                    "between": between,
                    "command": narrowing(one, other, place.last, place.first, sizes),
                }


def related(cases: Iterable[Case]) -> Iterator[tuple[Case, Case]]:
    """Pairs that readers choose between, in both orders."""
    for one in cases:
        for other in cases:
            if one == other:
                continue
            names = {one.backend, other.backend}
            if BASELINE in names or any({compiled, eager} == names for compiled, eager in EAGER.items()):
                yield one, other


def narrowing(given: Case, other: Case, last: int, first: int, measured: Iterable[int]) -> str | None:
    """Return the command that measures the catalogue's sizes between two that were measured; None where there are none
    left.

    Only sizes of the catalogue can be measured: they are the parameters of asv's benchmarks.
    """
    kernel = CATALOGUE[given.kernel]
    limits_of = [kernel.largest(case.backend, BACKENDS[case.backend].library) or first for case in (given, other)]
    sizes = [size for size in kernel.sizes if last < size < min(first, *limits_of) and size not in measured]
    if not sizes:
        return None
    options = [
        ("kernel", given.kernel),
        *(("backend", backend) for backend in dict.fromkeys((given.backend, other.backend))),
        *(("size", size) for size in sizes),
        ("dtype", given.dtype),
        ("measure", given.measure),
    ]
    return "arrayspeed run " + " ".join(f"--{option} {value}" for option, value in options)


def compiling(levels: Levels) -> Iterator[dict[str, Any]]:
    """Yield what each compiled backend's first call costs, and when that has paid off."""
    for first in levels:
        if first.measure != FIRST_CALL.name or first.backend not in EAGER:
            continue
        steady = replace(first, measure=CALL.name)
        row: dict[str, Any] = {"kernel": first.kernel, "size": first.size, "dtype": first.dtype, "device": first.device}
        row |= {"backend": first.backend, "eager": EAGER[first.backend], "over": None, "paid": None}
        if steady in levels:
            row["over"] = listed(compared(first, steady, levels))
            row["paid"] = break_even(first, steady, EAGER[first.backend], levels)
        yield row
