"""Compare two versions of one library: measure both side by side until it is decided, and say what changed."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from arrayspeed.decide import Decision, Observed, judge
from arrayspeed.decide.observed import halfway
from arrayspeed.decide.states import agreed
from arrayspeed.decide.words import FACTOR
from arrayspeed.measure.block_results import further_turns
from arrayspeed.measure.blocks import Block, blocks_of
from arrayspeed.measure.looking import Limits
from arrayspeed.measure.plan import Selection, combinations, wanted
from arrayspeed.measure.selections import COMPILED
from arrayspeed.measure.session import Session
from arrayspeed.measure.until_decided import until_decided
from arrayspeed.model.combination import Combination
from arrayspeed.model.failures import NOT_AVAILABLE
from arrayspeed.model.measures import ALL, BYTES, LARGEST, MEASURES, SMALLEST, measure_of
from arrayspeed.model.retention import RETAINED
from arrayspeed.records.measures import observed_of_sides
from arrayspeed.records.processes import Process, as_retained, moved_by_faults, takes_two_times
from kernels import CATALOGUE
from kernels.catalogue import dtypes

#: What tells combinations of one environment apart; after it, `RETAINED` where it is their other time.
Key = tuple[str, str, int | None, str | None]
Compared = Key | tuple[Key, str]


def default_selections(
    patterns: list[str], devices: list[str], sizes: list[str], kernels: Sequence[str] = ()
) -> list[Selection]:
    """Return what is compared: the measures that upgrades look at, by their table, of each kernel in its own precision,
    and in those that a pattern names.
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


def key(combination: Combination) -> Key:
    """Return what tells combinations of one environment apart."""
    return combination.benchmark, combination.backend, combination.size, combination.device


@dataclass(frozen=True)
class Row:
    """One combination: what both sides gave, and what was decided. ``state``: `RETAINED` where it is of that;
    ``moved``: whether there are both states, and page faults that may be what differs between the sides.
    """

    one: Combination
    observed: Observed
    decision: Decision
    old: list[Process]
    new: list[Process]
    state: str = ""
    moved: bool = False

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

    def observed(self, factor: float = FACTOR) -> Observed:
        """As `arrayspeed.decide` takes it; ``factor``: the ratio that somebody would act on."""
        return observed_of_sides(self.old, self.new, factor)

    def available(self) -> Sides:
        """Return the same without rounds in which neither side could be measured, as it says itself. What one side
        alone lacks is a failure there, but for memory: that a process cannot tell how much it is says nothing of it.
        """
        absent = [
            {(process.block, process.round) for process in side if process.kind == NOT_AVAILABLE and process.block}
            for side in (self.old, self.new)
        ]
        memory = bool(self.old or self.new) and measure_of(self.one.measure).unit == BYTES
        both = absent[0] | absent[1] if memory else absent[0] & absent[1]
        return Sides(
            *([one for one in side if (one.block, one.round) not in both] for side in (self.old, self.new)),
        )

    @property
    def two_times(self) -> bool:
        """Whether on either side a call takes another time where freed memory is retained."""
        return takes_two_times(self.old) or takes_two_times(self.new)

    def retaining(self) -> Sides:
        """Return the same where freed memory is retained, from the rounds in which both sides gave a time there."""
        return Sides(*retaining([self.old, self.new]))


Found = dict[Key, Sides]


def retaining(sides: Sequence[Sequence[Process]]) -> list[list[Process]]:
    """Return what sides gave where freed memory is retained, of the rounds in which all of them gave it."""
    asked = [{(one.block, one.round): one for one in side if one.retained} for side in sides]
    shared = set(asked[0]).intersection(*asked[1:])
    return [[as_retained(one) for where, one in side.items() if where in shared] for side in asked]


#: What is compared: a combination, a reference or two, between which it is the middle, and a side.
Pair = tuple[Key, str | tuple[str, str], str]


class Collected:
    """What blocks have given so far: the processes of each environment, by what was measured."""

    def __init__(self, blocks: Mapping[Key, Block], stored: Mapping[str, Sequence[Process]] | None = None) -> None:
        """Begin; ``stored``: what an earlier run left, by the names of blocks."""
        self.blocks = blocks
        self.where = {block.name: where for where, block in blocks.items()}
        self.processes: dict[Key, list[Process]] = {where: [] for where in blocks}
        for name, played in (stored or {}).items():
            self.processes[self.where[name]].extend(played)
        self.finished = {where: len({one.round for one in played}) for where, played in self.processes.items()}

    def take(self, block: Block, played: list[Process]) -> None:
        """Take what the sides of a block gave in a round."""
        self.processes[self.where[block.name]].extend(played)

    def of(self, where: Key, environment: str) -> list[Process]:
        """Return the processes of an environment."""
        return [process for process in self.processes[where] if process.one.environment == environment]

    def sides(self, where: Key, old: str, new: str) -> Sides:
        """Return what two environments gave."""
        return Sides(self.of(where, old), self.of(where, new)).available()

    def retained(self, block: Block) -> str:
        """Return when the sides of a block take further turns, in which they retain freed memory."""
        return further_turns(self.processes[self.where[block.name]])

    def met(self, pair: Pair, state: str = "") -> tuple[list[list[Process]], list[Process]]:
        """Return what the references of a comparison gave, and its other side; ``state``: `RETAINED` where it is of
        that.
        """
        where, old, new = pair
        *references, subject = (self.of(where, each) for each in ((old,) if isinstance(old, str) else old) + (new,))
        if len(references) == 1:
            sides = Sides(references[0], subject).available()
            references, subject = [sides.old], sides.new
        if state:
            *references, subject = retaining([*references, subject])
        return references, subject

    def observed(self, pair: Pair, factor: float, beyond: float | None = None, state: str = "") -> Observed | None:
        """Return a comparison; None where a side gave nothing yet.

        ``beyond``: a ratio that takes the place of all else that it is judged by, ``factor`` and what measures say.
        """
        references, subject = self.met(pair, state)
        if not subject or not all(references):
            return None
        one = observed_of_sides(references[0], subject, factor)
        if len(references) > 1:
            other = observed_of_sides(references[1], subject).reference
            one = replace(
                one, reference={n: halfway(value, other.get(n), one.floor) for n, value in one.reference.items()}
            )
        return one if beyond is None else replace(one, factor=beyond, least=0.0)


def blocks_for(
    session: Session, selections: Sequence[Selection], run: str, wanted: Collection[Key] | None = None
) -> dict[Key, Block]:
    """Return a block for each combination that every environment of a session has; ``wanted``: of these alone."""
    every = dict.fromkeys(one for selection in selections for one in combinations(session, selection))
    return {
        key(one.one): one.with_first(measure_of(one.one.measure).rounds)
        for one in blocks_of(every, list(session.environments), run)
        if len(one.sides) == len(session.environments) and (wanted is None or key(one.one) in wanted)
    }


def measure(session: Session, selections: Sequence[Selection], limits: Limits) -> list[Row]:
    """Measure both environments side by side until every comparison is decided; every process is stored as it ends."""
    old, new = session.environments
    collected = Collected(blocks_for(session, selections, f"{time.time_ns():x}"))

    def sides() -> Found:
        return {where: collected.sides(where, old, new) for where in collected.blocks}

    def observed() -> dict[Compared, Observed]:
        return observed_of(sides(), limits.factor)

    decisions = until_decided(session, collected.blocks, collected.take, observed, limits, retained=collected.retained)
    return rows_of(sides(), decisions, limits.factor)


def observed_of(known: Found, factor: float) -> dict[Compared, Observed]:
    """Return what was measured so far, as `arrayspeed.decide` takes it."""
    seen: dict[Compared, Observed] = {where: sides.observed(factor) for where, sides in known.items() if sides.old}
    for where, sides in known.items():
        if sides.two_times and (more := sides.retaining()).old:
            seen[where, RETAINED] = more.observed(factor)
    return seen


def stored(sides: Iterable[Iterable[Process]], selections: Sequence[Selection]) -> Found:
    """Return what is stored of the old side and of the new one, of what is selected and both have."""
    found: Found = defaultdict(Sides)
    for processes, side in zip(sides, ("old", "new"), strict=True):
        for process in processes:
            if any(wanted(process.one, selection) for selection in selections):
                getattr(found[key(process.one)], side).append(process)
    known = {where: met(sides).available() for where, sides in found.items()}
    return {where: sides for where, sides in known.items() if sides.old and sides.new}


def met(sides: Sides) -> Sides:
    """Return the processes that met; all of them where none did."""
    blocks = {process.block for process in sides.old} & {process.block for process in sides.new} - {None}
    if not blocks:
        return sides
    return Sides(*([p for p in side if p.block in blocks] for side in (sides.old, sides.new)))


def rows_of(known: Found, decisions: Mapping[Compared, Decision], factor: float) -> list[Row]:
    """Return a row for each comparison that was decided about. A time that changed in one of the allocator's states
    alone, with other page faults, is unclear.
    """
    of: dict[Compared, tuple[Sides, str]] = {}
    for where in decisions:
        (place, state) = where if len(where) == 2 else (where, "")
        of[where] = known[place].retaining() if state else known[place], state
    both: list[tuple[Compared, Compared]] = [
        (where, (where, RETAINED)) for where in known if {where, (where, RETAINED)} <= decisions.keys()
    ]
    moved = {where for pair in both for where in pair if moved_by_faults(of[where][0].old, of[where][0].new)}
    rows = []
    for where, decision in agreed(decisions, both, moved).items():
        sides, state = of[where]
        rows.append(Row(sides.one, sides.observed(factor), decision, sides.old, sides.new, state, where in moved))
    return rows


def judge_stored(known: Found, limits: Limits) -> list[Row]:
    """Return a row for each combination that is stored, all of them judged at once."""
    observed = observed_of(known, limits.factor)
    decisions = judge(list(observed.values()), limits.factor, limit=limits.limit)
    return rows_of(known, dict(zip(observed, decisions, strict=True)), limits.factor)
