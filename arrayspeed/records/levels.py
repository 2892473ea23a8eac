"""The level of every value in the results: what its processes gave, and how much such processes differ.

Backends that took turns (`arrayspeed.measure.backends`) are compared round by round, and what the same backend gave
alone, minutes before or after, is left out.

This is what `arrayspeed.decide.compare` takes. asv's own interval is of the samples of all processes together; it is
narrow, and says nothing of the next process, so nothing is decided by it.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

import polars as pl

from arrayspeed.decide import FACTOR
from arrayspeed.decide.compare import APART, Level, Ratio, best, compare, levels, levels_in_turn, middle_of
from arrayspeed.model.measures import CALL, measure_of
from arrayspeed.records import processes
from arrayspeed.records.backends import Rounds, rounds_of_backends, side_of
from kernels import BACKENDS, CATALOGUE

#: Machine and environment, as the results name them.
Place = tuple[str, str]

#: What is put behind a ratio of two that did not take turns.
MEASURED_APART = "~"

#: What is put behind a ratio whose interval encloses two states of the allocator.
TWO_TIMES = "†"

#: The level of the number 1, known without error: the interval of a value is that of its ratio to this.
ONE = Level(0.0, 0.0, math.inf, 0)


@dataclass(frozen=True)
class Case:
    """One thing that is measured."""

    kernel: str
    size: int | None
    backend: str
    device: str | None = "cpu"
    dtype: str | None = "float64"
    measure: str = CALL.name

    @property
    def other_way(self) -> str | None:
        """How its backend computes the result in another way than the kernel says, or None."""
        kernel, backend = CATALOGUE.get(self.kernel), BACKENDS.get(self.backend)
        return kernel.other_way(backend.name, backend.library) if kernel and backend else None

    def __str__(self) -> str:
        return f"{self.measure} of {self.kernel} {self.size:,} {self.dtype}, {self.backend} on {self.device}"


#: The columns of a table of results that tell cases apart.
COLUMNS = ("kernel", "size", "backend", "device", "dtype", "measure")


def levels_of(table: pl.DataFrame, results_dir: str | Path | None = None) -> dict[Place, dict[Case, Level]]:
    """Return the level of everything in a table of results that has a value above 0.

    Parameters
    ----------
    table
        As `arrayspeed.records.results.load` makes it.
    results_dir
        Where the processes of each value are kept. A value without any is one process of its own.
    """
    measured = table.filter((pl.col("value") > 0) & pl.col("value").is_finite())
    given = {where: process_values(results_dir, *where) for where in places(measured)} if results_dir else {}
    met = {where: rounds_in_turn(results_dir, *where) for where in places(measured)} if results_dir else {}
    values: dict[Hashable, Sequence[float | None]] = {}
    groups: dict[Hashable, Hashable] = {}
    turns: dict[Hashable, Rounds] = {}
    retained: dict[Hashable, Rounds] = {}
    two_times: set[Hashable] = set()
    anchors: dict[Hashable, Hashable] = {}
    for machine, environment, commit, value, *fields in measured.select(
        "machine", "environment", "commit", "value", *COLUMNS
    ).iter_rows():
        case = Case(*fields)
        key = (machine, environment), case
        groups[key] = machine, case.backend, case.measure
        if in_turn := met.get((machine, environment, commit), {}).get(case):
            turns[key], retained[key] = in_turn.rounds, in_turn.retained
            anchors[key] = (machine, environment), in_turn.anchor
            if in_turn.two_times:
                two_times.add(key)
        else:
            values[key] = given.get((machine, environment, commit), {}).get(case, [value])
    found: dict[Place, dict[Case, Level]] = defaultdict(dict)
    # Keys may be anything there, and come back as they were given.
    in_turn_or_alone = levels(values, groups) | levels_in_turn(turns, anchors, groups, retained, two_times)
    for (place, case), level in cast("dict[tuple[Place, Case], Level]", in_turn_or_alone).items():
        found[place][case] = level
    return {place: with_common_rounds(of) for place, of in found.items()}


def with_common_rounds(found: Mapping[Case, Level]) -> dict[Case, Level]:
    """Return levels whose ``rounds`` are the same rounds for all that compete: of a group of which some took turns, the
    rounds that all of these have, and none of those that were alone.
    """
    made = dict(found)
    groups = defaultdict(list)
    for case in found:
        groups[case.measure, case.kernel, case.size, case.dtype].append(case)
    for cases in groups.values():
        met = [set(found[case].met) for case in cases if found[case].met]
        numbers = sorted(set.intersection(*met), key=str) if met else []
        for case in cases if met else ():
            level = found[case]
            rounds = tuple(middle_of(level.met[number]) for number in numbers) if level.met else ()
            made[case] = replace(level, rounds=rounds)
    return made


def places(table: pl.DataFrame) -> Iterable[tuple[str, str, str]]:
    """Return the machines, environments and commits of a table."""
    return table.select("machine", "environment", "commit").unique().iter_rows()


def process_values(
    results_dir: str | Path, machine: str, environment: str, commit: str
) -> dict[Case, list[float | None]]:
    """Return what each process gave that measured alone, None where it failed; those that took turns in a block are
    compared within it. What no process gave a value of is left out.
    """
    found = defaultdict(list)
    for process in processes.load(results_dir, machine, environment, [commit]):
        if process.block is None:
            known = process.value is not None and process.value > 0
            found[Case(*(getattr(process.one, name) for name in COLUMNS))].append(process.value if known else None)
    return {case: values for case, values in found.items() if any(values)}


@dataclass(frozen=True)
class InTurn:
    """What a case gave that took turns with other backends.

    ``anchor``: what it is compared with; ``rounds``: round -> its batches; ``retained``: the same where processes
    retained freed memory; ``two_times``: whether it takes another time there.
    """

    anchor: Case
    rounds: Rounds
    retained: Rounds
    two_times: bool


def rounds_in_turn(results_dir: str | Path, machine: str, environment: str, commit: str) -> dict[Case, InTurn]:
    """Return what each case gave that took turns with other backends."""
    found = {}
    stored = list(processes.load(results_dir, machine, environment, [commit]))
    one_of = {process.one.benchmark: process.one for process in stored}
    asked = [process for process in stored if process.retained]
    retained = rounds_of_backends(map(processes.as_retained, asked))
    of_side = defaultdict(list)
    for process in asked:
        of_side[process.one.benchmark, process.one.size, side_of(process)].append(process)
    two = {side for side, played in of_side.items() if processes.takes_two_times(played)}
    for where, sides in rounds_of_backends(stored).items():
        benchmark, size = where
        one = one_of[benchmark]
        cases = {side: Case(one.kernel, size, *side, one.dtype, one.measure) for side in sides}
        anchor = next(iter(cases.values()))
        again = retained.get(where, {})
        for side, rounds in sides.items():
            found[cases[side]] = InTurn(anchor, rounds, again.get(side, {}), (benchmark, size, side) in two)
    return found


def interval(level: Level) -> Ratio:
    """Return a value with its 95 % interval; the word means nothing."""
    return compare(level, ONE)


def with_intervals(table: pl.DataFrame, levels_at: Mapping[Place, Mapping[Case, Level]]) -> pl.DataFrame:
    """Return a table of results with the level's value in place of asv's, and its 95 % interval in place of asv's of 99
    %.

    Where there is no level (a failure, an error of exactly 0), the value stays and there is no interval.
    """
    values, lows, highs = [], [], []
    for machine, environment, value, *fields in table.select("machine", "environment", "value", *COLUMNS).iter_rows():
        level = levels_at.get((machine, environment), {}).get(Case(*fields))
        known = interval(level) if level else None
        values.append(known.ratio if known else value)
        lows.append(known.low if known else None)
        highs.append(known.high if known else None)
    new = {"value": values, "low": lows, "high": highs}
    return table.with_columns(pl.Series(name, column, dtype=pl.Float64) for name, column in new.items())


def compared(
    case: Case, other: Case, levels_at: Mapping[Case, Level], factor: float | None = None, among: int = 1
) -> Ratio:
    """Return the ratio of ``case`` to ``other``, both of the same environment."""
    factor = factor or factor_of(case.measure)
    return compare(levels_at[case], levels_at[other], factor, spell_between(case, other), among)


def factor_of(measure: str) -> float:
    """Return the ratio of a measure that somebody would act on."""
    return measure_of(measure).threshold.factor or FACTOR


def best_of(cases: Sequence[Case], levels_at: Mapping[Case, Level]) -> list[Case]:
    """Return all that cannot be told apart from the best of a group, the best first.

    What computes in another way than the kernel says does not compete, unless all do.
    """
    competing = [case for case in cases if not case.other_way] or cases
    found = best({case: levels_at[case] for case in competing}, factor_of(cases[0].measure))
    return cast("list[Case]", found)  # as in `levels_of`


def spell_between(case: Case, other: Case) -> float:
    """Return what a change of the machine's speed adds: nothing between values of one benchmark and size, whose
    processes ran in turn within seconds, and `APART` between all others.
    """
    together = ("kernel", "dtype", "measure", "size")
    return 0.0 if all(getattr(case, name) == getattr(other, name) for name in together) else APART


def inverse(ratio: Ratio) -> Ratio:
    """Return the same the other way round: how many times less. The word stays that of the first side."""
    retained = inverse(ratio.retained) if ratio.retained else None
    return Ratio(1 / ratio.ratio, 1 / ratio.high, 1 / ratio.low, ratio.verdict, ratio.in_turn, retained)
