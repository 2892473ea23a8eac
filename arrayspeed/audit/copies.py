"""A benchmark against copies of itself: how noisy this machine is, and how small a slowdown would be found on it.

In each block a reference meets an exact copy, and copies that do other work after each call, which makes them longer by
a share of their time. Of the exact copy nothing may be reported; of the others, the share says what should be. Or all
backends are in one block, as where they are compared with one another, and each meets an exact copy of itself.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from statistics import median, stdev

from arrayspeed.decide import Decision, Observed
from arrayspeed.decide.observed import Value
from arrayspeed.measure.backends import TURNS, blocks_of_backends
from arrayspeed.measure.blocks import Block, block
from arrayspeed.measure.looking import Limits
from arrayspeed.measure.plan import Selection, combinations
from arrayspeed.measure.players import Interleaving
from arrayspeed.measure.session import Session
from arrayspeed.measure.stale import FEW_FAULTS
from arrayspeed.measure.until_decided import until_decided
from arrayspeed.model.combination import Combination
from arrayspeed.records.processes import Process

REFERENCE, COPY = "reference", "copy"

#: What makes a copy's calls longer, and how rarely they fail (`benchmarks.turns`): nothing does.
EXACT = (0.0, 0)

#: What is counted of a process: the attribute of `Process` that holds it.
FAULTS, SWITCHES, CORES = "page faults", "context switches", "cores"
COUNTS = {FAULTS: "faults", SWITCHES: "switches", CORES: "cores"}

#: Smaller differences of a call mean nothing: what a process does whenever it starts and stops counts with its calls,
#: and a slow process makes fewer calls between, so that these follow from its time.
LEAST = {FAULTS: FEW_FAULTS, SWITCHES: 1}

#: A ratio that is within this of what was planted reads it: the amount of work in a process is known no better.
TOLERANCE = 0.03

#: What follows from the cores that are busy.
CPU, FEWER = "CPU time", "fewer busy cores"

#: A process keeps its speed: one that is slow in the first half of its turns is slow in the second.
LASTING = "lasting"


@dataclass(frozen=True)
class Copy:
    """One copy of one combination.

    Attributes
    ----------
    busy
        The share of the call's time by which other work makes it longer, 0 for an exact copy.
    failing
        It fails once in so many calls; 0: never.
    decision, rounds
        What was decided, from so many rounds.
    in_turn, apart
        Logarithms of its ratio to the reference, round by round: in turn by batches, and one after the other; the
        latter is empty where that was not measured.
    counted
        What was counted of the reference and of the copy in the rounds of ``in_turn``, by the names of `COUNTS`;
        without what was not counted in all of them.
    halves
        The two halves of each round's batches, as ``in_turn``; empty where there were no turns.
    """

    one: Combination
    busy: float
    failing: int
    decision: Decision
    rounds: int
    in_turn: list[float]
    apart: list[float]
    counted: dict[str, list[list[float]]] = field(default_factory=dict)
    halves: list[list[float]] = field(default_factory=list)

    def went_along(self) -> dict[str, list[float]]:
        """Return what may rise with its ratio, in the rounds of ``in_turn``: its counts less the reference's.

        Differences below `LEAST` are 0. Cores that are busy would fall, so they count the other way; CPU time is of a
        call, and its logarithm.
        """
        found = {
            name: [b - a if abs(b - a) >= LEAST[name] else 0.0 for a, b in pairs]
            for name, pairs in self.counted.items()
            if name != CORES
        }
        if CORES in self.counted:
            busier = [math.log(b / a) for a, b in self.counted[CORES]]
            found[CPU] = [ratio + more for ratio, more in zip(self.in_turn, busier, strict=True)]
            found[FEWER] = [-more for more in busier]
        return found

    def lasts(self) -> tuple[list[float], dict[str, list[float]]]:
        """Return the first halves, and what rises with them where processes keep their speed."""
        first, second = ([row[half] for row in self.halves] for half in (0, 1))
        return first, {LASTING: second} if second else {}


def compare(
    session: Session,
    selection: Selection,
    limits: Limits,
    busy: Sequence[float] = (),
    failing: int = 0,
    alone: bool = False,
    together: bool = False,
) -> list[Copy]:
    """Compare every combination that is selected with its copies, until it is decided.

    Parameters
    ----------
    session, selection, limits
        Where, what, and for how long.
    busy
        Shares of a call's time by which further copies take longer.
    failing
        One more copy fails once in so many calls.
    alone
        Also measure one after the other, for contrast.
    together
        All backends of a kernel and size take turns in one block, with an exact copy of each, and nothing else.
    """
    handicaps = {REFERENCE: EXACT, COPY: EXACT} | {f"{share:+.0%}": (share, 0) for share in busy}
    if failing:
        handicaps[f"1 in {failing} fails"] = (0.0, failing)
    ones = list(dict.fromkeys(combinations(session, selection)))
    if together:
        made = [with_a_copy_each(block) for block in blocks_of_backends(ones, alike=2)]
    else:
        made = [with_copies(one, handicaps) for one in ones]
    blocks = {block.name: block for block in made}
    found: dict[tuple[str, str], list[Process]] = defaultdict(list)

    def take(played: Block, processes: list[Process]) -> None:
        for name, process in zip(played.names, processes, strict=True):
            found[played.name, name].append(process)

    turns = replace(TURNS if together else Interleaving(), alone=alone, metered=True)
    decisions = until_decided(session, blocks, take, lambda: observed(found), limits, turns=turns, store=False)
    return [
        Copy(
            found[where, name][0].one,
            *handicaps.get(name, EXACT),
            decision,
            len(found[where, name]),
            observed_of(found[where, original(name)], found[where, name]).differences(),
            apart(found[where, original(name)], found[where, name]),
            counted(found[where, original(name)], found[where, name]),
            halves(found[where, original(name)], found[where, name]),
        )
        for (where, name), decision in decisions.items()
    ]


def with_copies(combination: Combination, handicaps: dict[str, tuple[float, int]]) -> Block:
    """Return a combination's block."""
    made = block([combination] * len(handicaps))
    return Block(made.name, made.sides, names=tuple(handicaps), handicaps=tuple(handicaps.values()))


def with_a_copy_each(block: Block) -> Block:
    """Return a block of backends in which each meets a copy of itself."""
    names = block.names + tuple(f"{name} {COPY}" for name in block.names)
    return replace(block, sides=block.sides * 2, names=names)


def original(name: str) -> str:
    """Return the name of the side that one is a copy of: a backend, or the reference."""
    backend, _, copy = name.rpartition(" ")
    return backend if backend and copy == COPY else REFERENCE


def observed(groups: dict[tuple[str, str], list[Process]]) -> dict[tuple[str, str], Observed]:
    """Return every copy against what it is a copy of."""
    return {
        (where, name): observed_of(groups[where, original(name)], ones)
        for (where, name), ones in list(groups.items())
        if (where, original(name)) in groups and original(name) != name
    }


def observed_of(reference: Iterable[Process], subject: Iterable[Process]) -> Observed:
    """One copy against its reference."""
    reference, subject = list(reference), list(subject)
    one = reference[0].one

    def side(played: list[Process]) -> dict[Hashable, Value]:
        return {process.round: process.batches or process.value for process in played}

    return Observed(
        side(reference),
        side(subject),
        group=(one.measure, one.backend),
        sometimes=any(process.sometimes for process in subject),
    )


def apart(reference: Iterable[Process], subject: Iterable[Process]) -> list[float]:
    """Logarithms of ratios of what was measured one after the other, round by round."""
    return [
        math.log(median(b.samples) / median(a.samples))
        for a, b in zip(reference, subject, strict=True)
        if a.samples and b.samples
    ]


def counted(reference: Iterable[Process], subject: Iterable[Process]) -> dict[str, list[list[float]]]:
    """Return what was counted of both sides in the rounds that `Observed.differences` is of."""
    pairs = both(reference, subject)
    found = {name: [[getattr(one, key) for one in pair] for pair in pairs] for name, key in COUNTS.items()}
    return {
        name: [[float(f"{value:.4g}") for value in row] for row in rows]
        for name, rows in found.items()
        if rows and all(None not in row for row in rows)
    }


def halves(reference: Iterable[Process], subject: Iterable[Process]) -> list[list[float]]:
    """Logarithms of ratios in the first and in the second half of each round's turns."""
    found = []
    for one, other in both(reference, subject):
        ratios = [math.log(b / a) for a, b in zip(one.batches, other.batches, strict=False) if a and b]
        middle = len(ratios) // 2
        if not middle:
            return []
        found.append([float(f"{median(half):.4g}") for half in (ratios[:middle], ratios[middle:])])
    return found


def both(reference: Iterable[Process], subject: Iterable[Process]) -> list[tuple[Process, Process]]:
    """Return the rounds in which both sides gave a value."""
    return [(a, b) for a, b in zip(reference, subject, strict=True) if a.value is not None and b.value is not None]


def planted(copy: Copy) -> float | None:
    """Return the ratio that a copy should have; None where calls fail, of which a ratio says nothing."""
    return None if copy.failing else round(1 + copy.busy, 6)


def within(ratio: float, much: float) -> bool:
    """Return whether a ratio is within `TOLERANCE` of what was planted."""
    return much / (1 + TOLERANCE) <= ratio <= much * (1 + TOLERANCE)


def reads(copy: Copy) -> bool | None:
    """Return whether a copy's ratio reads what was planted: its interval, widened by `TOLERANCE` on both sides, holds
    it.

    None where nothing was planted that a ratio could read, or there is no interval.
    """
    much, low, high = planted(copy), copy.decision.low, copy.decision.high
    if much is None or low is None or high is None:
        return None
    return low / (1 + TOLERANCE) <= much <= high * (1 + TOLERANCE)


def noise(values: Sequence[float]) -> float | None:
    """Return the standard deviation between rounds; None of fewer than two."""
    return stdev(values) if len(values) > 1 else None
