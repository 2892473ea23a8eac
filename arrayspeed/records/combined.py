"""asv's result files of one environment and commit as one: of each combination the value that was measured last."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

#: What asv has once a benchmark and not once a combination of its parameters.
WHOLE = ("params", "version", "started_at", "duration", "profile")

#: What asv has of a combination, the least first. What was not measured and what cannot run here look alike.
NOTHING, FAILURE, VALUE = range(3)

#: Benchmark and parameters, as asv writes these.
Key = tuple[str, tuple[str, ...]]


@dataclass(frozen=True)
class Side:
    """One result file.

    Attributes
    ----------
    data
        What `arrayspeed.records.results.read` found to be asv's.
    measured
        When a combination was measured, in milliseconds, where its processes tell. Of the others, asv tells only when
        their benchmark was run last.
    """

    data: dict[str, Any]
    measured: Mapping[Key, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Combined:
    """The file that holds all, and what came to the first: values that it lacked, and values newer than its own.

    ``left_out``: benchmarks whose code differs from that of the file before, which stay out of it.
    """

    data: dict[str, Any]
    new: int
    newer: int
    left_out: int


class Entry:
    """One benchmark of one file; a `ValueError` where its columns do not fit its parameters."""

    def __init__(self, side: Side, name: str) -> None:
        self.columns = dict(zip(side.data["result_columns"], side.data["results"][name], strict=False))
        self.params: list[list[str]] = self.columns["params"] or []
        self.started: float = self.columns.get("started_at") or 0
        self.side, self.name = side, name
        self.places = {key: place for place, key in enumerate(itertools.product(*self.params))}
        # The columns that have something of each combination.
        self.cells: dict[str, list[Any]] = {
            column: values
            for column, values in self.columns.items()
            if column not in WHOLE and isinstance(values, list)
        }
        for values in self.cells.values():
            if len(values) != len(self.places):
                raise ValueError(f"{name} has {len(values)} values, and {len(self.places)} combinations of parameters")

    @property
    def code(self) -> tuple[Any, int]:
        """What must be equal for values to be of the same thing."""
        return self.columns.get("version"), len(self.params)

    def at(self, parameters: tuple[str, ...]) -> dict[str, Any]:
        """Return what asv has of one combination, by column."""
        if parameters not in self.places:
            return {"result": math.nan}
        place = self.places[parameters]
        return {name: values[place] for name, values in self.cells.items() if values[place] is not None}

    def rank(self, parameters: tuple[str, ...]) -> tuple[int, float]:
        """Return what counts more: a value more than a failure, that more than nothing, and then what was measured
        later.
        """
        value = self.at(parameters).get("result")
        kind = FAILURE if value is None else NOTHING if math.isnan(value) else VALUE
        return kind, self.side.measured.get((self.name, parameters), self.started)


def check(data: dict[str, Any]) -> None:
    """Nothing, if every benchmark's columns fit its parameters; a `ValueError` or `TypeError` otherwise."""
    if not isinstance(data.get("durations", {}), dict):
        raise TypeError("its durations are none")
    for name in data["results"]:
        Entry(Side(data), name)


def combine(sides: Sequence[Side]) -> Combined:
    """Return all sides as one; of equal rank, what the first has."""
    first = sides[0].data
    names = list(dict.fromkeys(name for side in sides for name in side.data["results"]))
    columns = list(dict.fromkeys(column for side in sides for column in side.data["result_columns"]))
    found, new, newer, left_out = {}, 0, 0, 0
    for name in names:
        every = [Entry(side, name) for side in sides if name in side.data["results"]]
        entries = [entry for entry in every if entry.code == every[0].code]
        left_out += len(every) - len(entries)
        lacking = name not in first["results"]
        made, more, later = one_benchmark(entries, lacking)
        row = [made.get(column) for column in columns]
        while row and row[-1] is None:
            row.pop()
        found[name] = row if made is not entries[0].columns or lacking else first["results"][name]
        new, newer = new + more, newer + later
    durations: dict[str, Any] = {}
    for side in sides:
        durations = side.data.get("durations", {}) | durations
    data = first | {"result_columns": columns, "results": found}
    return Combined(data | ({"durations": durations} if durations else {}), new, newer, left_out)


def one_benchmark(entries: Sequence[Entry], lacking: bool) -> tuple[dict[str, Any], int, int]:
    """Return the columns of one benchmark, and how many values are new and newer. Where nothing is, those
    of the first.
    """
    base = entries[0]
    axes = zip(*(entry.params for entry in entries), strict=True)
    params = [list(dict.fromkeys(itertools.chain(*values))) for values in axes]
    chosen, used, new, newer = {}, {id(base): base}, 0, 0
    for parameters in itertools.product(*params):
        ranks = [entry.rank(parameters) for entry in entries]
        best = entries[ranks.index(max(ranks))]
        chosen[parameters] = best.at(parameters)
        known = ranks[0][0] == VALUE and not lacking
        new += max(ranks)[0] == VALUE and not known
        if best is not base and not same(chosen[parameters], base.at(parameters)):
            newer += known
            used[id(best)] = best
    if len(used) == 1 and params == base.params:
        return base.columns, new, newer
    last = max(used.values(), key=lambda entry: entry.started)
    columns: dict[str, Any] = {name: last.columns.get(name) for name in WHOLE} | {"params": params}
    columns["version"] = base.columns.get("version")
    for name in dict.fromkeys(name for cells in chosen.values() for name in cells):
        columns[name] = [cells.get(name) for cells in chosen.values()]
    return columns, new, newer


def same(data: dict[str, Any], other: dict[str, Any]) -> bool:
    """Return whether two are equal, and nothing equal to nothing."""
    return repr(data) == repr(other)
