"""One long process on each side, which takes a function's calls in turn with the other: what it holds, and how long a
call takes, from the first call to the last.
"""

from __future__ import annotations

import random
import time
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from arrayspeed.decide.soak import LEAKS, SLOWER, UNCLEAR, Drift, Memory, Slope, confirmed, differ, drift, memory
from arrayspeed.formats.progress import change, clock
from arrayspeed.measure import interrupts
from arrayspeed.measure.players import Failed, start
from arrayspeed.own.notes import name
from arrayspeed.own.process import Part, Worker
from arrayspeed.own.records import Item
from arrayspeed.own.script import Script
from arrayspeed.own.sides import Ready
from benchmarks.keeping import ROOM, Readings

#: Readings of each side, the fewest from which slopes are taken, and calls between two readings at most.
READINGS, FEWEST, MOST_CALLS = 60, 20, 10_000_000


@dataclass
class Taken:
    """What one process gave: calls made before each reading, bytes that it held, and seconds of a call before it."""

    calls: list[int] = field(default_factory=list)
    resident: list[int | None] = field(default_factory=list)
    counted: list[int | None] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class Soak:
    """One function on both sides.

    Attributes
    ----------
    item
        The function and its size.
    taken
        What both processes gave, old and new.
    memories
        What is shown of the memory of each.
    drift
        What is shown of the times; None where there are too few.
    failed, place
        Why a side could not go on; "" where both could; and which: 0 for the old one, 1 for the new one.
    """

    item: Item
    taken: tuple[Taken, Taken]
    memories: tuple[Memory, Memory] | None = None
    drift: Drift | None = None
    failed: str = ""
    place: int | None = None

    @property
    def name(self) -> str:
        """The function and its size, for people."""
        return name(self.item)

    def worse(self, factor: float) -> bool:
        """Return whether the new side is shown to leak more, to become slower, or to fail where the old one goes on."""
        leaks = self.memories is not None and differ(*self.memories, factor) is True
        return self.place == 1 or leaks or (self.drift is not None and self.drift.verdict == SLOWER)

    def is_open(self, factor: float) -> bool:
        """Return whether something could not be shown."""
        if self.failed or self.memories is None or self.drift is None:
            return True
        return differ(*self.memories, factor) is None or self.drift.verdict == UNCLEAR

    @property
    def leaks(self) -> tuple[bool, bool]:
        """Whether each side leaks."""
        if self.memories is None:
            return False, False
        return self.memories[0].verdict == LEAKS, self.memories[1].verdict == LEAKS


def soaks(
    script: Script,
    sides: tuple[Ready, Ready],
    items: Sequence[Item],
    seconds: float,
    timeout: float,
    limits: tuple[float, float],
    say: Callable[[str], None],
) -> list[Soak]:
    """Call functions on both sides for a while.

    Parameters
    ----------
    script, sides, items
        The file, the old and the new side, functions and sizes.
    seconds
        How long each function is called on each side.
    timeout
        Seconds for getting a function ready, and for the calls between two readings.
    limits
        The ratio beyond which a change of a time matters, and the one that must be excluded.
    say
        Is told of what is done.
    """
    found = []
    for item in items:
        one = soaked(script, sides, item, seconds, timeout, limits)
        if one.drift is not None and one.drift.verdict == SLOWER:
            say(f"{name(item)}: calls seem to become slower, which new processes are to confirm")
            again = soaked(script, sides, item, seconds, timeout, limits)
            one = replace(
                one, drift=again.drift and confirmed(one.drift, again.drift), failed=one.failed or again.failed
            )
        found.append(one)
        calls = " and ".join(f"{each.calls[-1]:,}" for each in found[-1].taken if each.calls)
        say(f"{name(item)}: {calls or 'no'} calls")
        interrupts.check()
    return found


def soaked(
    script: Script,
    sides: tuple[Ready, Ready],
    item: Item,
    seconds: float,
    timeout: float,
    limits: tuple[float, float],
) -> Soak:
    """Call one function in a new process of each side."""
    taken = Taken(), Taken()
    workers: list[Worker] = []
    parts: list[Part] = []
    each = [0.0, 0.0]
    failed = ""
    failing: int | None = None
    rng = random.Random(str(item))
    try:
        for place, side in enumerate(sides):
            try:
                workers.append(Worker(side, script))
                workers[-1].load(timeout)
                parts.append(Part(workers[-1], {"function": side.side.function or item[0], "size": item[1]}))
                each[place] = parts[-1].ready(timeout)
                parts[-1].stop()
            except Failed as error:
                return Soak(item, taken, failed=f"fails in {side.label}: {error}", place=place)
        spent = [0.0, 0.0]
        while min(spent) < seconds and len(taken[0].calls) < ROOM:
            for place in rng.sample((0, 1), 2):
                number = max(1, min(MOST_CALLS, round(seconds / READINGS / max(each[place], 1e-9))))
                try:
                    each[place] = reading(parts[place], number, taken[place], timeout)
                    spent[place] += each[place] * number
                except Failed as error:
                    failing = place
                    failed = f"fails in {sides[place].label} after {made(taken[place]):,} calls: {error}"
            if failed:
                break
            interrupts.check()
            change(f"{name(item)}: {made(taken[1]):,} calls, {clock(2 * max(0.0, seconds - min(spent)))} left")
    finally:
        for worker in workers:
            worker.end()
    return replace(judged(item, taken, limits, failed), place=failing)


def made(taken: Taken) -> int:
    """Return the calls that a process has made."""
    return taken.calls[-1] if taken.calls else 0


def reading(part: Part, number: int, taken: Taken, timeout: float) -> float:
    """Have a process make so many calls, and take a reading; return the seconds of a call.

    Raises
    ------
    Failed
        A call fails, or they do not end in time.
    """
    start(part)
    try:
        part.worker.ask({"soak": number})
        answer = part.answer(time.monotonic() + timeout)
    finally:
        part.stop()
    taken.calls.append(made(taken) + number)
    taken.resident.append(answer["resident"])
    taken.counted.append(answer["counted"])
    taken.seconds.append(answer["seconds"])
    return float(answer["seconds"])


def judged(item: Item, taken: tuple[Taken, Taken], limits: tuple[float, float], failed: str) -> Soak:
    """Return what the readings show."""
    if min(len(each.calls) for each in taken) < FEWEST:
        count = min(len(each.calls) for each in taken)
        why = failed or f"too few readings, {count} of {FEWEST}: calls are too long for these seconds"
        return Soak(item, taken, failed=why)
    memories = (memory_of(taken[0]), memory_of(taken[1]))
    return Soak(item, taken, memories, drift(taken[0].seconds, taken[1].seconds, *limits), failed)


def memory_of(taken: Taken) -> Memory:
    """Return what is shown of the memory of one process, in the later half of its calls."""
    half = taken.calls[bisect_left(taken.calls, taken.calls[-1] / 2)]
    return memory(
        growth(taken.calls, taken.resident, half), growth(taken.calls, taken.counted, half), taken.calls[-1] - half
    )


def growth(calls: Sequence[int], held: Sequence[int | None], begin: int) -> Slope | None:
    """Return the growth a call of what was held, from so many calls on; None where it is not known."""
    readings: Any = Readings()  # type: ignore[no-untyped-call]
    for number, value in zip(calls, held, strict=True):
        if value is None:
            return None
        readings.calls[readings.number], readings.bytes[readings.number] = number, value
        readings.number += 1
    middle, within = readings.growth(begin)
    return None if middle is None else Slope(middle, middle - within, middle + within)
