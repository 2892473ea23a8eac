"""Where the time of somebody's functions goes on two sides: both are sampled in turn, in several processes."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from packaging.version import Version

from arrayspeed.decide import Decision, Observed, judge
from arrayspeed.decide.growth import Growth, Sampled, grown
from arrayspeed.explain import stacks
from arrayspeed.explain.instructions import Instructions, count
from arrayspeed.explain.sampling import FEWEST, sample
from arrayspeed.explain.stacks import Function, Stack
from arrayspeed.formats.progress import change
from arrayspeed.measure import interrupts
from arrayspeed.measure.players import Failed, Interleaving, Samples, interleave
from arrayspeed.own.notes import name
from arrayspeed.own.process import Part
from arrayspeed.own.rounds import Plan, Round, rounds
from arrayspeed.own.script import Script
from arrayspeed.own.sides import Ready
from arrayspeed.own.until_decided import Item

#: Rounds, each with a process of both sides, and the fewest from which anything can be said of noise.
ROUNDS, FEWEST_ROUNDS = 6, 3

#: The Python from which on a function's name has that of its class before it.
QUALIFIED = Version("3.11")

#: What time is spent in: a function, or a library.
Named = TypeVar("Named", Function, str)

#: What stands for the timing loop, whose own share is that of a call of nothing.
ROOT = Function("the loop that calls it", "arrayspeed")


@dataclass(frozen=True)
class Sampling:
    """What one process gave: seconds of a call, turn by turn and in all, and stacks with their samples."""

    batches: list[float | None]
    seconds: float
    stacks: Counter[Stack]


@dataclass(frozen=True)
class Profile:
    """One function on both sides.

    Attributes
    ----------
    item
        The function and its size.
    observed, decision
        The time of a call, and what is shown of it; None where it failed.
    own, whole
        Seconds of a call that each function takes itself, and with all that it calls.
    libraries
        Own time by shared library, and by package of Python code.
    stacks
        Stack -> seconds a call, old and new.
    samples
        Samples of calls on both sides.
    instructions
        Instructions of a call.
    failed
        Why nothing can be shown.
    """

    item: Item
    observed: Observed | None = None
    decision: Decision | None = None
    own: Mapping[Function, Growth] = field(default_factory=dict)
    whole: Mapping[Function, Growth] = field(default_factory=dict)
    libraries: Mapping[str, Growth] = field(default_factory=dict)
    stacks: tuple[Mapping[Stack, float], Mapping[Stack, float]] = ({}, {})
    samples: tuple[int, int] = (0, 0)
    instructions: Instructions | None = None
    failed: str = ""

    @property
    def name(self) -> str:
        """The function and its size, for people."""
        return name(self.item)


def profiles(
    script: Script,
    sides: tuple[Ready, Ready],
    items: Sequence[Item],
    number: int,
    timeout: float,
    say: Callable[[str], None],
) -> list[Profile]:
    """Sample functions on both sides.

    Parameters
    ----------
    script
        The file.
    sides
        The old side and the new one.
    items
        Functions and sizes.
    number
        Rounds.
    timeout
        Seconds for getting a function ready, and for a batch.
    say
        Is told of what is done.
    """
    plan = Plan(Interleaving(timeout=timeout))
    taken: dict[Item, list[tuple[Sampling, Sampling]]] = {item: [] for item in items}
    failed: dict[Item, str] = {}
    with rounds(sides, script, plan) as next_round:
        for each in range(number):
            now = next_round(each)
            now.begin()
            for item in items:
                if item in failed:
                    continue
                change(f"round {each + 1} of {number}: {name(item)}")
                try:
                    taken[item].append(one_round(now, sides, item, plan, script))
                except Failed as error:
                    failed[item] = str(error)
                interrupts.check()
    bare = any(Version(side.version.split()[0]) < QUALIFIED for side in sides if side.version)
    found = []
    for item in items:
        if item in failed:
            found.append(Profile(item, failed=failed[item]))
            continue
        change(f"counting instructions: {name(item)}")
        seconds = max(pair[side].seconds for pair in taken[item] for side in (0, 1))
        found.append(profile(item, taken[item], count(script, sides, item, seconds, timeout), bare))
        interrupts.check()
        say(f"{name(item)}: {sum(found[-1].samples):,} samples")
    return found


def one_round(
    now: Round, sides: tuple[Ready, Ready], item: Item, plan: Plan, script: Script
) -> tuple[Sampling, Sampling]:
    """Time a function in turn on both sides, and sample one side after the other.

    Raises
    ------
    Failed
        A side cannot call it, or cannot be sampled.
    """
    rng = random.Random(f"{now.number} {item}")
    parts = {}
    for side in rng.sample(sides, 2):
        request = {"function": side.side.function or item[0], "size": item[1]}
        parts[side.label] = Part(now.worker(side), request)
    timed = interleave(list(parts.values()), plan.turns, rng)
    found = {}
    for side in rng.sample(sides, 2):
        given = timed[side.label]
        if given.value is None:
            raise Failed(f"fails in {side.label}: {given.why}")
        found[side.label] = sampled(parts[side.label], given, given.value, str(script.path.parent), plan.turns.timeout)
    return found[sides[0].label], found[sides[1].label]


def sampled(part: Part, timed: Samples, seconds: float, folder: str, timeout: float) -> Sampling:
    """Return the stacks of one side's process, whose calls take so many seconds where nobody looks on.

    Raises
    ------
    Failed
        There are too few samples of calls.
    """
    until = time.monotonic() + timeout
    seen = sample(part, seconds, folder, timeout)
    while 0 < seen.total() < FEWEST and time.monotonic() < until:
        seen += sample(part, seconds, folder, timeout)
    if seen.total() < FEWEST:
        raise Failed(f"py-spy saw too little of it in {part.name}: {seen.total()} samples of calls")
    return Sampling(timed.batches, seconds, seen)


def profile(
    item: Item, taken: Sequence[tuple[Sampling, Sampling]], instructions: Instructions, bare: bool = False
) -> Profile:
    """Return what so many rounds show of a function; ``bare``: as of `stacks.renamed`."""
    olds, news = (Counter[Stack]() for _ in range(2))
    for old, new in taken:
        olds.update(old.stacks)
        news.update(new.stacks)
    places = stacks.moved(olds, news)
    pairs = [
        (
            replace(old, stacks=stacks.renamed(old.stacks, places, bare)),
            replace(new, stacks=stacks.renamed(new.stacks, {}, bare)),
        )
        for old, new in taken
    ]
    observed = Observed(
        {n: old.batches for n, (old, _) in enumerate(taken)}, {n: new.batches for n, (_, new) in enumerate(taken)}
    )
    return Profile(
        item,
        observed,
        judge([observed])[0],
        parts_of(pairs, lambda seen: stacks.own_time(seen, ROOT)),
        parts_of(pairs, stacks.whole_time),
        parts_of(pairs, lambda seen: stacks.by_library(stacks.own_time(seen, ROOT))),
        (shares([old for old, _ in pairs]), shares([new for _, new in pairs])),
        (olds.total(), news.total()),
        instructions,
    )


def parts_of(
    pairs: Sequence[tuple[Sampling, Sampling]], view: Callable[[Mapping[Stack, float]], Mapping[Named, float]]
) -> dict[Named, Growth]:
    """Return what is shown of each part in a view of the samples."""
    sampled = [(of_view(old, view(old.stacks)), of_view(new, view(new.stacks))) for old, new in pairs]
    parts = list(dict.fromkeys(part for old, new in pairs for side in (old, new) for part in view(side.stacks)))
    return grown(sampled, parts)


def of_view(one: Sampling, counts: Mapping[Named, float]) -> Sampled:
    """Return one process's samples by the parts of a view."""
    return Sampled(one.seconds, one.stacks.total(), {part: round(value) for part, value in counts.items()})


def shares(processes: Sequence[Sampling]) -> dict[Stack, float]:
    """Return the seconds of a call in each stack, the mean of several processes."""
    return stacks.total(
        [
            {stack: one.seconds * number / one.stacks.total() for stack, number in one.stacks.items()}
            for one in processes
        ]
    )
