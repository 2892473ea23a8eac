"""What was measured of a library's releases, by combination: which processes count, and which release the others are
compared with.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from statistics import median
from typing import cast

import polars as pl
from packaging.version import InvalidVersion, Version

from arrayspeed.decide import Observed
from arrayspeed.decide.compare import APART, PROCESS_NOISE
from arrayspeed.environments.project import measured_code
from arrayspeed.model.combination import Combination
from arrayspeed.model.failures import NOT_AVAILABLE
from arrayspeed.model.libraries import PYTHON, SUBJECT
from arrayspeed.model.measures import measure_of
from arrayspeed.model.retention import RETAINED
from arrayspeed.records import processes
from arrayspeed.records.measures import observed_in_both_states, observed_of_sides
from arrayspeed.records.processes import Process, as_retained, moved_by_faults
from arrayspeed.records.results import result_commits

#: What makes a series.
SERIES = ["measure", "family", "kernel", "dtype", "backend", "size", "device"]

#: A series' values, in the order of `SERIES`.
Key = tuple[str, str, str, str | None, str, int | None, str | None]

#: The processes of one release.
Side = list[Process]

#: A block and a round, in which processes met.
Meeting = tuple[str, int | None]


@dataclass(frozen=True)
class Measured:
    """What the processes of one combination gave, by release in their order, and the anchor among these."""

    key: Key
    sides: dict[str, Side]
    anchor: str
    # The same two releases are compared several times.
    known: dict[tuple[str, str], Observed] = field(default_factory=dict, compare=False, repr=False)

    @property
    def measure(self) -> str:
        """What was measured."""
        return self.key[0]

    def compared(self, subject: str, reference: str) -> Observed:
        """Two releases, for `arrayspeed.decide`."""
        if (subject, reference) not in self.known:
            found = observed_of_sides(self.sides[reference], self.sides[subject])
            self.known[subject, reference] = found if found.rounds else replace(found, extra=APART, known=PROCESS_NOISE)
        return self.known[subject, reference]

    def retaining(self, subject: str, reference: str) -> Observed | None:
        """Return the same where freed memory is retained; None where calls take no other time there, or the two never
        met.
        """
        found = observed_in_both_states(self.sides[reference], self.sides[subject]).get(RETAINED)
        return found if found and found.rounds else None

    def moved(self, subject: str, reference: str, retaining: bool = False) -> bool:
        """Return whether page faults may be what differs between two releases, of which there are both states."""
        sides = [self.sides[reference], self.sides[subject]]
        if retaining:
            sides = [[as_retained(process) for process in side if process.retained] for side in sides]
        return moved_by_faults(*sides)

    @cached_property
    def rounds(self) -> dict[str, set[Meeting]]:
        """The blocks and rounds of each release."""
        return {version: rounds_of(side) for version, side in self.sides.items()}

    def met(self, text: str, other: str) -> bool:
        """Return whether two releases had processes in a round of a block."""
        return not self.rounds[text].isdisjoint(self.rounds[other])

    def value(self, version: str) -> float | None:
        """Return the median of a release's processes."""
        found = [process.value for process in self.sides[version] if process.value is not None]
        return median(found) if found else None

    def neighbours(self) -> list[tuple[str, str]]:
        """Return the pairs of releases between which a step may be, earlier and later."""
        found, last = [], None
        for before, version in itertools.pairwise(self.sides):
            found.append((before, version))
            if self.value(before) is not None:
                last = before
            elif last is not None and self.value(version) is not None:
                found.append((last, version))
        return found


def rounds_of(side: Iterable[Process]) -> set[Meeting]:
    """Return the blocks and rounds in which a release met others."""
    return {(process.block, process.round) for process in side if process.block is not None}


def order(version: str) -> tuple[int, Version | str, bool]:
    """Sorts releases, and 3.14t after 3.14; what is no version comes first, by its letters."""
    try:
        return 1, Version(version.removesuffix("t")), version.endswith("t")
    except InvalidVersion:
        return 0, version, False


def by_release(entry: tuple[str, Side]) -> tuple[int, Version | str, bool]:
    """Return a key to sort sides by."""
    return order(entry[0])


def measured(folder: str | Path, table: pl.DataFrame, library: str) -> list[Measured]:
    """Return what was measured of a library in environments of its own: in others, more than its version differs. Of
    Python, it is what was measured of the same libraries in several of its versions.

    Of each combination those blocks count that belong to the newest code that has any. A release that is in none of
    them has what was measured of it last. ``table`` holds the results of one machine, as
    `arrayspeed.records.results.load` gives them.
    """
    alone = of_library(table, library).filter(
        pl.col("version").is_not_null(), pl.col("value").is_not_null() | pl.col("failed")
    )
    if alone.is_empty():
        return []
    stored = Stored(folder, alone, library)
    found = from_blocks(stored)
    for key, sides in last_alone(stored, alone, found).items():
        found[key] = sides | found.get(key, {})
    every = [
        Measured(key, ordered := dict(sorted(sides.items(), key=by_release)), anchor(ordered))
        for key, sides in found.items()
    ]
    return sorted(
        every, key=lambda item: (*(str(part or "") for part in item.key[1:5]), item.key[5] or 0, item.measure)
    )


def of_library(table: pl.DataFrame, library: str) -> pl.DataFrame:
    """Return the part of a table that compares a library's releases, or Pythons, which are then its versions."""
    if library != PYTHON:
        return table.filter(pl.col("library") == library, pl.col("alone"))
    of_python = pl.col("environment").str.contains(f"{SUBJECT}{PYTHON}", literal=True)
    return table.filter(of_python).with_columns(version=pl.col("python"))


def by_python(table: pl.DataFrame, library: str) -> list[tuple[str, pl.DataFrame]]:
    """Return a library's results under its name, and those of older Pythons under a name that says so: releases that
    were measured in different Pythons differ in more than the library.
    """
    alone = of_library(table, library)
    pythons = sorted((each for each in alone["python"].unique() if each), key=order, reverse=True)
    if library == PYTHON or len(pythons) < 2:
        return [(library, table)]
    named = [library, *(f"{library}, Python {python}" for python in pythons[1:])]
    return [(name, table.filter(pl.col("python") == python)) for name, python in zip(named, pythons, strict=True)]


class Stored:
    """The processes of a machine's environments of one library, by environment and commit."""

    def __init__(self, folder: str | Path, alone: pl.DataFrame, library: str) -> None:
        self.releases = dict(alone.select("environment", "version").unique().sort("environment").iter_rows())
        machine = alone["machine"][0]
        self.found: dict[tuple[str, str], dict[Key, list[Process]]] = {}
        dates = dict(alone.group_by("commit").agg(pl.col("date").max()).iter_rows())
        commits = set(result_commits(folder, machine)) | dates.keys()
        self.commits = sorted(commits, key=lambda item: (dates.get(item) or datetime.min.replace(tzinfo=UTC), item))
        for environment, commit in itertools.product(self.releases, self.commits):
            by_key: dict[Key, list[Process]] = defaultdict(list)
            for process in processes.load(folder, machine, environment, [commit]):
                if library in (PYTHON, process.one.library) and available(process):
                    key = cast("Key", tuple(getattr(process.one, name) for name in SERIES))
                    by_key[key].append(usable(process))
            self.found[environment, commit] = by_key

    def commits_by_code(self) -> list[list[str]]:
        """Return the commits in groups that measure the same, the newest group first. A commit that this clone does not
        hold is a group of its own.
        """
        groups = defaultdict(list)
        for commit in reversed(self.commits):
            groups[measured_code(commit) or commit].append(commit)
        return list(groups.values())


def available(process: Process) -> bool:
    """Return whether the combination exists in that release: what is n/a has not failed, unless its library is what
    fails.
    """
    return process.kind != NOT_AVAILABLE


def usable(process: Process) -> Process:
    """Return the process; a failed one where its value has no ratio to others: a file may hold anything, and only what
    is lifted may be 0.
    """
    least = 0.0 if measure_of(process.one.measure).threshold.floor else math.ulp(0.0)
    wrong = [
        value for value in (process.value, *process.batches) if value is not None and not least <= value < math.inf
    ]
    return replace(process, value=None, batches=[]) if wrong else process


def from_blocks(stored: Stored) -> dict[Key, dict[str, Side]]:
    """Return what met in blocks, of the newest code that has any of a combination."""
    found: dict[Key, dict[str, Side]] = {}
    for commits in stored.commits_by_code():
        sides: dict[Key, dict[str, Side]] = defaultdict(lambda: defaultdict(list))
        for environment, commit in itertools.product(stored.releases, commits):
            for key, ones in stored.found[environment, commit].items():
                if met := [process for process in ones if process.block is not None]:
                    sides[key][environment] += met
        for key, environments in sides.items():
            found.setdefault(key, one_a_release(environments, stored.releases))
    return found


def one_a_release(environments: Mapping[str, Side], releases: Mapping[str, str]) -> dict[str, Side]:
    """Return the side of each release. Where several environments hold one, beside other packages: that which met most
    others, then that with most rounds.
    """
    rounds = {name: rounds_of(side) for name, side in environments.items()}
    found = {}
    for name in sorted(rounds, key=lambda name: (partners(name, rounds), len(rounds[name]))):
        found[releases[name]] = environments[name]
    return found


def partners(name: str, rounds: Mapping[str, set[Meeting]]) -> int:
    """Return how many others one met."""
    return sum(bool(rounds[name] & others) for other, others in rounds.items() if other != name)


def last_alone(
    stored: Stored, alone: pl.DataFrame, met: Mapping[Key, Mapping[str, Side]]
) -> dict[Key, dict[str, Side]]:
    """Return what was measured last of each release that met no other: asv's value where no processes are stored."""
    found: dict[Key, dict[str, Side]] = defaultdict(dict)
    newest = alone.sort("date", maintain_order=True).unique([*SERIES, "version"], keep="last", maintain_order=True)
    for row in newest.iter_rows(named=True):
        labels = {name: row[name] for name in SERIES}
        key = cast("Key", tuple(labels.values()))
        if row["version"] in met.get(key, ()):
            continue
        ones = stored.found[row["environment"], row["commit"]].get(key)
        if not ones:
            one = Combination(row["environment"], "", -1, **labels)
            ones = [usable(Process(one, row["value"]))]
        found[key][row["version"]] = [replace(process, block=None, round=None) for process in ones]
    return found


def anchor(sides: Mapping[str, Side]) -> str:
    """Return the release to compare all others with: the newest of those that met most others, if it works.

    Where nothing met, that is the newest one that works.
    """
    worked = {
        version: rounds_of(process for process in side if process.value is not None) for version, side in sides.items()
    }

    def rank(version: str) -> tuple[bool, int, tuple[int, Version | str, bool]]:
        works = any(process.value is not None for process in sides[version])
        return works, partners(version, worked), order(version)

    return max(sides, key=rank)
