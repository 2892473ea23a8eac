"""How close kernels come to what the machine can do, by peaks that this suite measured on the same machine.

A kernel's limit is the time that its least work takes at the machine's peaks: floating-point operations at the rate of
the fastest matrix product, bytes at the rate of the fastest addition of arrays that no cache holds. Kernel and peak
were measured minutes apart, and intervals allow for that.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from arrayspeed.decide.compare import APART, Level, compare
from arrayspeed.decide.words import FASTER, SLOWER
from arrayspeed.model.measures import CALL, DEVICE_TIME, FROM_DEVICE, TO_DEVICE, Measure
from arrayspeed.records.levels import Case, best_of, compared
from arrayspeed.report.files import interval, rounded
from kernels import CATALOGUE
from kernels.dtypes import ITEMSIZE

#: Bytes that no cache of these machines holds. With less, adding arrays measures a cache, or how long a GPU takes to
#: start a kernel.
CACHE = 100e6

#: One array in and one of the same size out.
STREAM = "sine"

Levels = Mapping[Case, Level]


def limits(levels: Levels) -> dict[str, Any]:
    """``peaks``, ``kernels``, ``launches`` and ``transfers``, each a list with its dtype and device."""
    times = [case for case in levels if case.measure == CALL.name]
    found = {"peaks": [], "kernels": [], "launches": launches(levels), "transfers": transfers(levels)}
    for dtype, device in dict.fromkeys((case.dtype, case.device) for case in times):
        here = [case for case in times if (case.dtype, case.device) == (dtype, device)]
        known = peaks(here, levels)
        if known:
            where = {"dtype": dtype, "device": device}
            found["peaks"].append(where | {name: peak_data(case, levels) for name, case in known.items()})
            found["kernels"] += [where | row for row in shares(here, known, levels)]
    return found


def flops(case: Case) -> int:
    """Floating-point operations of a case."""
    assert case.size is not None  # as of all in the catalogue
    return CATALOGUE[case.kernel].flops(case.size)


def moved(case: Case) -> int:
    """Bytes of a case, each array once."""
    assert case.size is not None and case.dtype is not None  # as of all in the catalogue
    return CATALOGUE[case.kernel].bytes(case.size, ITEMSIZE[case.dtype])


def peaks(cases: Sequence[Case], levels: Levels) -> dict[str, Case]:
    """Return the matrix product with the highest rate and the addition of large arrays with the highest; {} without
    either.
    """
    products = [case for case in cases if case.kernel == "matmul"]
    sums = [case for case in cases if case.kernel == "add" and moved(case) > CACHE]
    if not products or not sums:
        return {}
    return {
        "arithmetic": max(products, key=lambda case: flops(case) / levels[case].value),
        "memory": max(sums, key=lambda case: moved(case) / levels[case].value),
    }


def peak_data(case: Case, levels: Levels) -> dict[str, Any]:
    """Return a peak: the rate, and what reached it."""
    rate = (flops(case) if case.kernel == "matmul" else moved(case)) / levels[case].value
    return {"rate": rounded(rate), "backend": case.backend, "size": case.size}


def scaled(level: Level, by: float) -> Level:
    """Return the level of a value times a number that is known exactly."""
    return replace(level, shift=level.shift + math.log(by))


def shares(cases: Sequence[Case], known: Mapping[str, Case], levels: Levels) -> list[dict[str, Any]]:
    """Return the best set of each kernel and size that pages show, and how close its fastest comes to the limit."""
    groups: dict[tuple[str, int], list[Case]] = {}
    for case in cases:
        kernel = CATALOGUE[case.kernel]
        if kernel.counted and case.size in (kernel.small, kernel.large):
            groups.setdefault((case.kernel, case.size), []).append(case)
    rows = []
    for (name, size), group in groups.items():
        members = best_of(group, levels)
        limit, by = limit_of(members[0], known, levels)
        share = compare(limit, levels[members[0]], apart=APART)
        row = {"kernel": name, "size": size, "best": [case.backend for case in members], "by": by}
        rows.append(row | {"share": interval(share)})
    return rows


def limit_of(case: Case, known: Mapping[str, Case], levels: Levels) -> tuple[Level, str]:
    """Return the time that the least work of a case takes at the peaks, and what limits it: arithmetic, memory, or
    either where that is not shown.
    """
    parts = {}
    for name, work in (("arithmetic", flops), ("memory", moved)):
        if work(case):
            parts[name] = scaled(levels[known[name]], work(case) / work(known[name]))
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
