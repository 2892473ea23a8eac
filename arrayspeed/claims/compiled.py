"""Where a compiled backend is slower than the same library's eager one, the largest slowdowns, each with the reason.

``compiled.toml`` holds the reasons, which were looked into on one machine. The numbers are those of its results.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from arrayspeed.claims.comparison import Comparison, Measurements, Pair
from arrayspeed.claims.evidence import Evidence
from arrayspeed.claims.table import mistakes
from arrayspeed.decide.compare import compare
from arrayspeed.decide.words import SLOWER
from arrayspeed.model.measures import CALL
from arrayspeed.records.levels import inverse, spell_between
from kernels import BACKENDS, CATALOGUE

PATH = Path(__file__).with_name("compiled.toml")

#: How many kernels are told at most.
COUNT = 10


@dataclass(frozen=True)
class Slower:
    """A call that compiling makes slower: the comparison, what was measured, and the reason."""

    comparison: Comparison
    measurements: Measurements
    why: str


@cache
def reasons() -> tuple[str, Mapping[tuple[str, str], str]]:
    """Return the machine that the reasons are of, and the reasons by kernel and backend.

    Raises
    ------
    UserError
        ``compiled.toml`` has a mistake; the message names the entry.
    """
    found = {}
    with mistakes(PATH.name) as where:
        entries = tomllib.loads(PATH.read_text(encoding="utf-8"))
        for number, entry in enumerate(entries["reasons"], 1):
            where[1:] = [f"reason {number}"]
            found.update({(kernel, entry["backend"]): entry["why"] for kernel in entry["kernels"]})
        return entries["machine"], found


def slower(evidence: Evidence) -> list[Slower]:
    """Return the kernels of which a call is shown to take a compiled backend longer than its eager form, by most: of
    each the backend, the size and the precision where the ratio is largest. All from the environment that holds most
    libraries, at small and large sizes: all kernels are measured at these, and those that are measured at smaller ones,
    too, would come first.
    """
    measurements = max(evidence.environments.values(), key=len, default={})
    pairs = [
        Pair(one, other)
        for one in measurements
        if one.measure == CALL.name
        and (kernel := CATALOGUE.get(one.kernel)) is not None
        and one.size in (kernel.small, kernel.large)
        and (name := BACKENDS[one.backend].eager)
        and (other := replace(one, backend=name)) in measurements
        and one.other_way == other.other_way
    ]
    found = []
    for pair in pairs:
        compiled, eager = measurements[pair.fast], measurements[pair.slow]
        ratio = compare(compiled, eager, apart=spell_between(pair.fast, pair.slow), among=len(pairs))
        if ratio.verdict == SLOWER:
            found.append(Comparison(pair, inverse(ratio)))
    largest: dict[str, Comparison] = {}
    for one in sorted(found, key=lambda item: item.ratio.ratio):
        largest.setdefault(one.pair.fast.kernel, one)
    ordered = list(largest.values())[:COUNT]
    _, why = reasons()
    return [Slower(one, measurements, why.get((one.pair.fast.kernel, one.pair.fast.backend), "")) for one in ordered]
