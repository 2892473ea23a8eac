"""The measurements that a comparison needs, found in the table of results: all from one environment."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import polars as pl

from arrayspeed.decide.compare import Level
from arrayspeed.records.levels import COLUMNS, Case, Place, levels_of
from kernels import LIBRARIES

#: Where a size was not measured, the nearest one that was stands in, at most so many times smaller or larger.
NEAR = 4


@dataclass(frozen=True)
class Found:
    """What was found for a comparison. ``size``: the size that stands in for the one asked for, else None."""

    environment: str
    measurements: dict[Case, Level]
    size: int | None = None


def version_key(version: str | None) -> tuple[int, ...]:
    """Versions in their order: 0.10.2 after 0.9.2, and none before all."""
    return tuple(int(digits) for digits in re.findall(r"\d+", version or ""))


def versions(table: pl.DataFrame) -> dict[str, str]:
    """Library -> version of a table of one environment, in the libraries' usual order."""
    return next(iter(ranked(table).values()), {})


def rank(table: pl.DataFrame) -> list[str]:
    """Environments, the best first: the one that holds most libraries, then the newest versions."""
    return list(ranked(table))


def ranked(table: pl.DataFrame) -> dict[str, dict[str, str]]:
    """Return the environments in the order of `rank`, each with the versions of its libraries in their usual order."""
    known: dict[str, dict[str, str]] = {}
    rows = table.select("environment", "library", "version").unique().sort("version").iter_rows()
    for environment, library, version in rows:
        held = known.setdefault(environment, {})
        if library is not None and version is not None:
            held[library] = version

    def key(name: str) -> tuple[int, tuple[tuple[int, ...], ...], str]:
        held = known[name]
        return len(held), tuple(version_key(held.get(library)) for library in LIBRARIES), name

    return {
        name: {library: known[name][library] for library in LIBRARIES if library in known[name]}
        for name in sorted(known, key=key, reverse=True)
    }


class Evidence:
    """All measurements of one machine, by environment.

    Parameters
    ----------
    table
        As `arrayspeed.records.results.load` makes it, of one machine. May be empty.
    results_dir
        Where the processes are kept; without them, each value is that of one process.
    known
        The levels of that table, where they are known already.
    """

    def __init__(
        self,
        table: pl.DataFrame,
        results_dir: str | Path | None = None,
        known: Mapping[Place, dict[Case, Level]] | None = None,
    ):
        measured = table.filter((pl.col("value") > 0) & pl.col("value").is_finite())
        known = known or levels_of(measured, results_dir)
        found = {environment: levels for (_, environment), levels in known.items()}
        self.versions = ranked(measured)
        self.environments: dict[str, dict[Case, Level]] = {name: found[name] for name in self.versions}
        self.failed = {Case(*case) for case in table.filter("failed").select(COLUMNS).iter_rows()} - self.measured

    @cached_property
    def measured(self) -> set[Case]:
        """Everything that has a value in some environment."""
        return set().union(*self.environments.values())

    def find(self, cases: Iterable[Case]) -> Found | None:
        """Return all cases in one environment, at the nearest size where they share one that was not measured."""
        cases = list(cases)
        for size in self.candidate_sizes(cases):
            wanted = {case: replace(case, size=size) if size else case for case in cases}
            for environment, measurements in self.environments.items():
                if all(case in measurements for case in wanted.values()):
                    return Found(environment, {c: measurements[w] for c, w in wanted.items()}, size)
        return None

    def candidate_sizes(self, cases: list[Case]) -> list[int | None]:
        """None for the sizes asked for, then those that may stand in, the nearest first."""
        asked = {case.size for case in cases}
        if len(asked) != 1:
            return [None]
        (size,) = asked
        kernels = {case.kernel for case in cases}

        def distance(other: int) -> float:
            assert size is not None  # a claim's cases are of kernels
            return abs(math.log(other / size))

        others = {case.size for case in self.measured if case.kernel in kernels and case.size} - {size}
        return [None, *sorted((other for other in others if distance(other) <= math.log(NEAR)), key=distance)]

    def find_each_size(self, cases: Iterable[Case], at_least: int = 1) -> Found | None:
        """Return the sizes at which all cases are there, of the environment that has most such sizes."""
        by_size: dict[int | None, list[Case]] = {}
        for case in cases:
            by_size.setdefault(case.size, []).append(case)
        best = None
        for environment, measurements in self.environments.items():
            complete = [group for group in by_size.values() if all(case in measurements for case in group)]
            found = {case: measurements[case] for group in complete for case in group}
            if len(complete) >= at_least and (best is None or len(found) > len(best.measurements)):
                best = Found(environment, found)
        return best

    def missing(self, cases: Iterable[Case]) -> str:
        """Return why a comparison cannot be made, in words."""
        cases = list(dict.fromkeys(cases))
        measured = self.measured
        devices = {case.device for case in cases if case.device is not None} - {case.device for case in measured}
        if devices:
            return f"no results on a {' or '.join(sorted(devices))}"
        lacking = [case for case in cases if case not in measured]
        if not lacking:
            return "not all in the same environment"
        first = f"{'failed' if lacking[0] in self.failed else 'no'} {lacking[0]}"
        return first if len(lacking) == 1 else f"{first}, and {len(lacking) - 1} more"
