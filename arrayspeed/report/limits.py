"""How close kernels come to what the machine can do.

A kernel's limit is the time that its least work takes at the machine's rates: floating-point operations at the rate of
multiplications and additions, bytes at the rate of memory for what it works on, which is a cache's where that fits into
one (`arrayspeed.records.peaks`). Of a card, which has no such rates, it is those of the fastest matrix product and of
the fastest addition of arrays that no cache holds. Kernel and rate were measured at different times, and intervals
allow for that.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from arrayspeed.decide.compare import APART, Level, compare, exceeds
from arrayspeed.decide.words import FASTER, SLOWER
from arrayspeed.model.measures import CALL, DEVICE_TIME, FROM_DEVICE, TO_DEVICE, Measure
from arrayspeed.records.levels import Case, best_of, compared
from arrayspeed.records.peaks import Peaks
from arrayspeed.report.files import interval, rounded
from kernels import CATALOGUE
from kernels.backends import BASELINE_DEVICE
from kernels.dtypes import ITEMSIZE

#: Bytes that no cache of a card holds. With less, adding arrays measures a cache, or the start of a kernel.
CACHE = 100e6

#: One array in and one of the same size out.
STREAM = "sine"

#: A share of the limit beyond which something is wrong with the limit, or with the counts of the kernel.
BEYOND = 1.05

Levels = Mapping[Case, Level]


@dataclass(frozen=True)
class Roof:
    """What limits the kernels of one precision on one device.

    Attributes
    ----------
    data
        The rates, as the pages read them.
    times
        What gives the time that the least work of a case takes, by what limits it: ``arithmetic`` and ``memory``.
    """

    data: dict[str, Any]
    times: Callable[[Case], dict[str, Level]]


def limits(levels: Levels, peaks: Peaks | None = None) -> dict[str, Any]:
    """``peaks``, ``kernels``, ``launches`` and ``transfers``, each a list with its dtype and device.

    ``peaks`` are the machine's rates, without which no kernel on the CPU has a limit.
    """
    times = [case for case in levels if case.measure == CALL.name]
    found = {"peaks": [], "kernels": [], "launches": launches(levels), "transfers": transfers(levels)}
    for dtype, device in dict.fromkeys((case.dtype, case.device) for case in times):
        here = [case for case in times if (case.dtype, case.device) == (dtype, device)]
        roof = of_machine(peaks, dtype) if device == BASELINE_DEVICE else of_suite(here, levels)
        if roof:
            where = {"dtype": dtype, "device": device}
            found["peaks"].append(where | roof.data)
            found["kernels"] += [where | row for row in shares(here, roof, levels)]
    return found


def flops(case: Case) -> int:
    """Floating-point operations of a case."""
    assert case.size is not None  # as of all in the catalogue
    return CATALOGUE[case.kernel].flops(case.size)


def moved(case: Case) -> int:
    """Bytes of a case, each array once: what it works on at least."""
    assert case.size is not None and case.dtype is not None  # as of all in the catalogue
    return CATALOGUE[case.kernel].bytes(case.size, ITEMSIZE[case.dtype])


def exactly(seconds: float) -> Level:
    """Return a time that is known without error."""
    return Level(math.log(seconds), 0.0, math.inf, 0)


def of_machine(peaks: Peaks | None, dtype: str | None) -> Roof | None:
    """Return the roof of the CPU, of the machine's own rates; None where they were not measured."""
    if peaks is None or not peaks.sets():
        return None
    arithmetic = peaks.arithmetic(dtype)

    def times(case: Case) -> dict[str, Level]:
        memory = peaks.memory(moved(case))
        found = {}
        if arithmetic and flops(case):
            found["arithmetic"] = exactly(flops(case) / arithmetic.rate)
        if memory and moved(case):
            found["memory"] = exactly(moved(case) / memory.rate)
        return found

    best = [one for working_set in peaks.sets() if (one := peaks.memory(working_set))]
    by = f"multiplying and adding on {arithmetic.cores} cores" if arithmetic else ""
    data = {
        "arithmetic": {"rate": rounded(arithmetic.rate), "by": by} if arithmetic else None,
        "memory": [{"bytes": one.bytes, "rate": rounded(one.rate), "by": one.what} for one in best],
    }
    return Roof(data, times)


def of_suite(cases: Sequence[Case], levels: Levels) -> Roof | None:
    """Return the roof of a card: its matrix product with the highest rate and its addition of large arrays with the
    highest; None without either.
    """
    products = [case for case in cases if case.kernel == "matmul"]
    sums = [case for case in cases if case.kernel == "add" and moved(case) > CACHE]
    if not products or not sums:
        return None
    product = max(products, key=lambda case: flops(case) / levels[case].value)
    total = max(sums, key=lambda case: moved(case) / levels[case].value)

    def times(case: Case) -> dict[str, Level]:
        parts = (("arithmetic", flops, product), ("memory", moved, total))
        return {name: levels[peak].times(work(case) / work(peak)) for name, work, peak in parts if work(case)}

    by = f"a matrix product ({product.backend}, size {product.size:,})"
    memory = {"bytes": moved(total), "rate": rounded(moved(total) / levels[total].value)}
    data = {
        "arithmetic": {"rate": rounded(flops(product) / levels[product].value), "by": by},
        "memory": [memory | {"by": f"adding arrays ({total.backend}, size {total.size:,})"}],
    }
    return Roof(data, times)


def shares(cases: Sequence[Case], roof: Roof, levels: Levels) -> list[dict[str, Any]]:
    """Return the best set of each kernel and size that pages show, and how close its fastest comes to the limit."""
    groups: dict[tuple[str, int], list[Case]] = {}
    for case in cases:
        kernel = CATALOGUE[case.kernel]
        if kernel.counted and case.size in (kernel.small, kernel.large):
            groups.setdefault((case.kernel, case.size), []).append(case)
    rows = []
    for (name, size), group in groups.items():
        members = best_of(group, levels)
        parts = roof.times(members[0])
        if not parts:
            continue
        limit, by = limit_of(parts)
        share = compare(limit, levels[members[0]], apart=APART)
        row = {"kernel": name, "size": size, "best": [case.backend for case in members], "by": by}
        rows.append(row | {"share": interval(share), "beyond": exceeds(share, BEYOND)})
    return rows


def limit_of(parts: Mapping[str, Level]) -> tuple[Level, str]:
    """Return the longest of the times that the least work takes, and what limits it: arithmetic, memory, or either
    where that is not shown.
    """
    if len(parts) == 1:
        ((name, limit),) = parts.items()
        return limit, name
    word = compare(parts["arithmetic"], parts["memory"], apart=APART).verdict
    name = {FASTER: "memory", SLOWER: "arithmetic"}.get(word, "either")
    # Where neither is shown to take longer, the longer of the two is as good as the other.
    return max(parts.values(), key=lambda level: level.shift) if name == "either" else parts[name], name


def both(levels: Levels, first: Measure, second: Measure) -> Iterator[tuple[Case, Case]]:
    """Yield the cases of which both of two measures were taken."""
    for case in levels:
        other = replace(case, measure=second.name)
        if case.measure == first.name and other in levels:
            yield case, other


def launches(levels: Levels) -> list[dict[str, Any]]:
    """Return the device's own time of a call, and the share of the host's that it leaves to launching and waiting."""
    found = []
    for own, call in both(levels, DEVICE_TIME, CALL):
        busy = compared(own, call, levels)
        # A share of the host's time below 0 is noise: the device cannot be busy for longer than the call.
        share = [max(0.0, 1 - value) for value in (busy.ratio, busy.high, busy.low)]
        where = {name: getattr(own, name) for name in ("kernel", "size", "backend", "dtype", "device")}
        times = {"own": levels[own].value, "call": levels[call].value}
        found.append(where | times | {"launch": list(map(rounded, share))})
    return found


def transfers(levels: Levels) -> list[dict[str, Any]]:
    """Bytes a second of the input of `STREAM` on its way to the device, and of its result on its way back."""
    found = []
    for to, back in both(levels, TO_DEVICE, FROM_DEVICE):
        if to.kernel == STREAM:
            size = moved(to) // 2  # half of them each way
            rates = {"to": rounded(size / levels[to].value), "from": rounded(size / levels[back].value)}
            where = {name: getattr(to, name) for name in ("backend", "dtype", "device")}
            found.append(where | {"bytes": size} | rates)
    return found
