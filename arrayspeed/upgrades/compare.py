"""Compare two versions of one library: measure both in turn, and say what changed.

Both environments run a combination within seconds of each other, A B B A …, so that a machine that changes its speed
does so for both. What counts as changed must be beyond chance (see `significance`), beyond a factor that somebody
would act on, and beyond the noise between processes.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from arrayspeed import interrupts, processes, run
from arrayspeed.plan import Combination, Selection, combinations, wanted
from arrayspeed.processes import Process
from arrayspeed.progress import Progress, is_timed
from arrayspeed.servers import serving
from arrayspeed.session import Session
from arrayspeed.upgrades.significance import Difference, Estimate, differ, estimate, false_discovery
from kernels import BACKENDS

#: The share of what is reported as changed that may be false.
FALSE_DISCOVERY = 0.05

#: Processes of each side for a measure that is no time: it hardly differs between processes.
FEW = 3

#: An unchanged comparison says nothing where so large a slowdown would go unseen.
UNSEEN = 1.25

#: By which factor a measure must differ to be worth a report, if not by that of the times: an error is a matter of
#: digits.
FACTORS = {"track_error": 2.0}

#: What is too small to matter, in the measure's unit: rounding, and the allocator's own grain.
FLOORS = {"track_error": 2.0**-52, "track_memory": 2.0**20}

REGRESSION, IMPROVEMENT, UNCHANGED, UNCLEAR = "regression", "improvement", "unchanged", "unclear"
FAILING, WORKING, BROKEN = "newly failing", "newly working", "fails in both"

#: What makes an upgrade a regression.
BAD = (REGRESSION, FAILING)

Key = tuple[str, str, int | None, str | None]


def default_selections(patterns: list[str], devices: list[str], sizes: list[str]) -> list[Selection]:
    """What is compared: times of small and large arrays, first calls, errors, memory and the import."""
    compiled = [name for name, backend in BACKENDS.items() if backend.compiled or backend.library == "numba"]
    narrow = {"patterns": patterns, "devices": devices, "dtypes": ["float64"]}
    sizes = sizes or ["small", "large"]
    smallest, largest = sizes[:1], sizes[-1:]
    return [
        Selection(measures=["time_call"], sizes=sizes, **narrow),
        Selection(measures=["track_first_call"], backends=compiled, sizes=smallest, **narrow),
        Selection(measures=["track_error"], sizes=smallest, **narrow),
        Selection(measures=["track_memory"], sizes=largest, **narrow),
        Selection(measures=["timeraw_import"], patterns=patterns),
    ]


@dataclass(frozen=True)
class Row:
    """One combination on both sides, and what became of it."""

    family: str
    kernel: str
    measure: str
    backend: str
    size: int | None
    device: str | None
    verdict: str
    old: list[Process]
    new: list[Process]
    estimate: Estimate | None = None
    chance: float | None = None

    def value(self, side: list[Process]) -> float | None:
        """Geometric mean of the processes of a side."""
        found = logarithms(side, self.measure)
        return math.exp(math.fsum(found) / len(found)) if found else None


@dataclass
class Comparison:
    """All processes of both sides, by combination."""

    old: dict[Key, list[Process]] = field(default_factory=lambda: defaultdict(list))
    new: dict[Key, list[Process]] = field(default_factory=lambda: defaultdict(list))


def key(one: Combination) -> Key:
    """What tells combinations of one environment apart."""
    return one.benchmark, one.backend, one.size, one.device


def plans(session: Session, selections: list[Selection]) -> tuple[list[Combination], list[Combination]]:
    """The same combinations in both environments, old and new."""
    old, new = session.environments
    every = list(dict.fromkeys(one for selection in selections for one in combinations(session, selection)))
    return [one for one in every if one.environment == old], [one for one in every if one.environment == new]


def measure(session: Session, selections: list[Selection], rounds: int) -> Comparison:
    """Measure both environments in turn, with progress; every process is stored as it ends.

    Round by round, with new servers for each: processes that one server forks share its memory layout, which can make
    all of them slower than those of another server of the same version.
    """
    olds, news = plans(session, selections)
    twins = {key(one): one for one in news}
    chunks = defaultdict(list)
    for one in olds:
        chunks[one.benchmark, one.size].append(one)
    steps = {
        (number, *where): ones
        for number in range(rounds)
        for where, ones in chunks.items()
        if number < passes(ones[0], rounds)
    }
    found = Comparison()
    progress = Progress(steps, lambda one: 2)
    with serving(session) as servers:
        latest = 0
        for (number, *_), ones in steps.items():
            if number != latest:
                servers.end_all()
                latest = number
            interrupts.check()
            progress.start(ones)
            sides = (ones, found.old), ([twins[key(one)] for one in ones], found.new)
            for side, into in sides if number % 2 == 0 else reversed(sides):
                for process in once(session, side):
                    into[key(process.one)].append(process)
            progress.finish(ones, ", ".join(f"{one.backend} {shown(found, one)}" for one in ones))
    progress.end()
    return found


def passes(one: Combination, rounds: int) -> int:
    """How many processes of each side a combination gets."""
    return rounds if is_timed(one) or one.measure == "track_first_call" else min(rounds, FEW)


def once(session: Session, ones: list[Combination]) -> list[Process]:
    """One process of each combination, stored."""
    environment = ones[0].environment
    found = run.run_once(session, ones, session.no_results(environment))
    processes.store(session, environment, found)
    return found


def shown(found: Comparison, one: Combination) -> str:
    """The ratio of a combination so far, for the progress."""
    old, new = (logarithms(side[key(one)], one.measure) for side in (found.old, found.new))
    if not old or not new:
        return "failed"
    return f"×{math.exp(math.fsum(new) / len(new) - math.fsum(old) / len(old)):.2f}"


def stored(folder: str, machine: str, environments: tuple[str, str], commits: list[str], selections) -> Comparison:
    """What is stored of two environments, old and new, measured on a machine at commits with the same code."""
    found = Comparison()
    for environment, into in zip(environments, (found.old, found.new), strict=True):
        for process in processes.load(folder, machine, environment, commits):
            if any(wanted(process.one, selection) for selection in selections):
                into[key(process.one)].append(process)
    return found


def logarithms(side: Iterable[Process], measure: str) -> list[float]:
    """Logarithms of what a side's processes gave, without those that failed."""
    floor = FLOORS.get(measure, 0.0)
    return [math.log(max(process.value, floor)) for process in side if process.value is not None and process.value >= 0]


def judge(found: Comparison, factor: float, paired: bool) -> list[Row]:
    """A verdict for each combination, over all of them together."""
    rows, unjudged = [], []
    for where in dict.fromkeys((*found.old, *found.new)):
        old, new = found.old[where], found.new[where]
        one = (old or new)[0].one
        row = Row(one.family, one.kernel, one.measure, one.backend, one.size, one.device, BROKEN, old, new)
        if not old or not new:
            continue
        worked, works = (sum(process.value is not None for process in side) > len(side) / 2 for side in (old, new))
        if worked and works:
            unjudged.append(row)
        else:
            rows.append(replace(row, verdict=FAILING if worked else WORKING if works else BROKEN))
    return rows + judge_values(unjudged, factor, paired)


def judge_values(rows: list[Row], factor: float, paired: bool) -> list[Row]:
    """Verdicts of combinations that work on both sides. Each measure has its own usual noise."""
    comparable = [row for row in rows if min(len(logarithms(side, row.measure)) for side in (row.old, row.new)) >= 2]
    by_measure = defaultdict(list)
    for row in comparable:
        by_measure[row.measure].append(row)
    estimates = {}
    for ones in by_measure.values():
        differences = [difference(row, paired) for row in ones]
        estimates |= zip(map(id, ones), estimate(differences), strict=True)
    chances = false_discovery([estimates[id(row)].chance for row in comparable])
    judged = [
        replace(
            row,
            estimate=(found := estimates[id(row)]),
            chance=chance,
            verdict=verdict(found, chance, FACTORS.get(row.measure, factor)),
        )
        for row, chance in zip(comparable, chances, strict=True)
    ]
    known = set(map(id, comparable))
    return judged + [replace(row, verdict=UNCLEAR) for row in rows if id(row) not in known]


def difference(row: Row, paired: bool) -> Difference:
    """The difference of a row's sides, paired where both have as many processes that worked."""
    old, new = logarithms(row.old, row.measure), logarithms(row.new, row.measure)
    return differ(old, new, paired and len(old) == len(new))


def verdict(found: Estimate, chance: float, factor: float) -> str:
    """What one estimate means."""
    shift = math.log(found.ratio)
    if chance <= FALSE_DISCOVERY and abs(shift) >= math.log(factor) and abs(shift) > found.noise:
        return REGRESSION if shift > 0 else IMPROVEMENT
    return UNCLEAR if found.high > max(UNSEEN, factor) else UNCHANGED


def status(rows: list[Row]) -> int:
    """0: no regression. 1: regressions. 2: undecided, because there is nothing to compare or most of it is unclear."""
    if any(row.verdict in BAD for row in rows):
        return 1
    compared = [row for row in rows if row.verdict != BROKEN]
    unclear = sum(row.verdict == UNCLEAR for row in compared)
    return 2 if not compared or unclear > len(compared) / 2 else 0
