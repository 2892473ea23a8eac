"""Compare two versions of one library: measure both side by side until it is decided, and say what changed."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from arrayspeed.decide import Decision, Observed, judge
from arrayspeed.measure.blocks import Block, blocks_of
from arrayspeed.measure.plan import Selection, combinations, wanted
from arrayspeed.measure.selections import COMPILED
from arrayspeed.measure.session import Session
from arrayspeed.measure.states import ALWAYS, NEVER, WHERE_FAULTS, differ
from arrayspeed.measure.until_decided import Limits, until_decided
from arrayspeed.model.combination import Combination
from arrayspeed.model.measures import ALL, LARGEST, MEASURES, SMALLEST, measure_of
from arrayspeed.records import processes
from arrayspeed.records.measures import observed_of_sides
from arrayspeed.records.processes import Process
from kernels import CATALOGUE
from kernels.catalogue import dtypes

#: What tells combinations of one environment apart; after it, `RETAINED` where it is their other time.
Key = tuple[str, str, int | None, str | None]
Compared = Key | tuple[Key, str]

#: The time of a call where the process retains freed memory, in names of comparisons.
RETAINED = "memory retained"


def default_selections(
    patterns: list[str], devices: list[str], sizes: list[str], kernels: Sequence[str] = ()
) -> list[Selection]:
    """What is compared: the measures that upgrades look at, by their table, of each kernel in its own precision, and in
    those that a pattern names.
    """
    own = dict.fromkeys(kernel.dtypes[0] for kernel in CATALOGUE.values())
    named = dict.fromkeys(dtype for dtype in dtypes() if any(dtype in pattern for pattern in patterns))
    narrow = {"patterns": patterns, "devices": devices, "dtypes": [*(own | named)], "kernels": list(kernels)}
    sizes = sizes or ["small", "large"]
    chosen = {ALL: sizes, SMALLEST: sizes[:1], LARGEST: sizes[-1:]}
    found = []
    for measure in MEASURES.values():
        if measure.upgrade and measure.of_library:
            found.append(Selection(measures=[measure.name], patterns=patterns))
        elif measure.upgrade:
            backends = COMPILED if measure.of_compiling else []
            found.append(Selection(measures=[measure.name], backends=backends, sizes=chosen[measure.upgrade], **narrow))
    return found


def key(one: Combination) -> Key:
    """What tells combinations of one environment apart."""
    return one.benchmark, one.backend, one.size, one.device


@dataclass(frozen=True)
class Row:
    """One combination: what both sides gave, and what was decided. ``state``: `RETAINED` where it is of that."""

    one: Combination
    observed: Observed
    decision: Decision
    old: list[Process]
    new: list[Process]
    state: str = ""

    @property
    def verdict(self) -> str:
        """The word."""
        return self.decision.verdict


@dataclass
class Sides:
    """What both sides gave of one combination."""

    old: list[Process] = field(default_factory=list)
    new: list[Process] = field(default_factory=list)

    @property
    def one(self) -> Combination:
        """The combination, of whichever side has it."""
        return (self.old or self.new)[0].one

    def observed(self) -> Observed:
        """As `arrayspeed.decide` takes it."""
        return observed_of_sides(self.old, self.new)

    @property
    def two_times(self) -> bool:
        """Whether on either side a call takes another time where freed memory is retained, by the first round that was
        asked.
        """
        asked = [(process, more) for process in (*self.old[:1], *self.new[:1]) if (more := process.retained)]
        return any(differ(process.value, process.faults, more.value, more.faults) for process, more in asked)

    def retaining(self) -> Sides:
        """The same where freed memory is retained, from the rounds in which both sides gave a time there."""
        both = [(old, new) for old, new in zip(self.old, self.new, strict=True) if old.retained and new.retained]
        return Sides(*([as_retained(pair[side]) for pair in both] for side in (0, 1)))


def as_retained(process: Process) -> Process:
    """What a process gave where it retained freed memory, as if it were all that it gave."""
    more = process.retained
    assert more is not None
    return replace(process, value=more.value, batches=more.batches, faults=more.faults, why=more.why, retained=None)


Found = dict[Key, Sides]


def measure(session: Session, selections: list[Selection], limits: Limits) -> list[Row]:
    """Measure both environments side by side until every comparison is decided; every process is stored as it ends."""
    every = list(dict.fromkeys(one for selection in selections for one in combinations(session, selection)))
    blocks = {
        key(one.one): one.with_first(measure_of(one.one.measure).rounds)
        for one in blocks_of(every, list(session.environments), f"{time.time_ns():x}")
    }
    found: Found = {where: Sides() for where in blocks}

    def take(block: Block, played: list[Process]) -> None:
        for process, side in zip(played, ("old", "new"), strict=True):
            getattr(found[key(block.one)], side).append(process)

    def retained(block: Block) -> str:
        sides = found[key(block.one)]
        return WHERE_FAULTS if not sides.old else ALWAYS if sides.two_times else NEVER

    decisions = until_decided(session, blocks, take, lambda: observed_of(found), limits, retained=retained)
    return rows_of(found, decisions)


def observed_of(found: Found) -> dict[Compared, Observed]:
    """What was measured so far, as `arrayspeed.decide` takes it."""
    seen: dict[Compared, Observed] = {where: sides.observed() for where, sides in found.items() if sides.old}
    for where, sides in found.items():
        if sides.two_times and (more := sides.retaining()).old:
            seen[where, RETAINED] = more.observed()
    return seen


def stored(
    folder: str, machine: str, environments: tuple[str, str], commits: list[str], selections: Sequence[Selection]
) -> Found:
    """What is stored of two environments, old and new, measured on a machine at commits with the same code."""
    found: Found = defaultdict(Sides)
    for environment, side in zip(environments, ("old", "new"), strict=True):
        for process in processes.load(folder, machine, environment, commits):
            if any(wanted(process.one, selection) for selection in selections):
                getattr(found[key(process.one)], side).append(process)
    return {where: met(sides) for where, sides in found.items() if sides.old and sides.new}


def met(sides: Sides) -> Sides:
    """The processes that met; all of them where none did."""
    blocks = {process.block for process in sides.old} & {process.block for process in sides.new} - {None}
    if not blocks:
        return sides
    return Sides(*([p for p in side if p.block in blocks] for side in (sides.old, sides.new)))


def rows_of(found: Found, decisions: Mapping[Compared, Decision]) -> list[Row]:
    """A row for each comparison that was decided about."""
    rows = []
    for where, decision in decisions.items():
        (place, state) = where if len(where) == 2 else (where, "")
        sides = found[place].retaining() if state else found[place]
        rows.append(Row(sides.one, sides.observed(), decision, sides.old, sides.new, state))
    return rows


def judge_stored(found: Found, factor: float) -> list[Row]:
    """A row for each combination that is stored, all of them judged at once."""
    observed = observed_of(found)
    return rows_of(found, dict(zip(observed, judge(list(observed.values()), factor), strict=True)))
