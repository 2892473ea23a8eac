"""Which parts of a time grew: what each part took in several processes of both sides, in; a word for each part, out.

The parts are functions of a call, known by shares of samples, or the modules of an import, each with its own time. Each
round gives the seconds that are spent in a part on both sides. What made both sides slower or faster in
a round, as a busy machine does, is taken out of it. The difference has a t interval over the rounds, whose variance is
no less than that of counting samples: a few rounds may agree by luck. Of many parts some would seem to have
grown by chance: Benjamini and Hochberg over all that take a share that is worth a name, and intervals of those that
are named are wider for it, as in `arrayspeed.decide.judge`.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from arrayspeed.decide.discovery import adjusted
from arrayspeed.decide.student import quantile, tail
from arrayspeed.decide.words import ERROR_RATE

GREW, SHRANK, NOT_SHOWN = "grew", "shrank", "not shown"

#: What is less than this share of the longer side's time is not worth a name: a part, or a difference.
LEAST = 0.01

Part = TypeVar("Part", bound=Hashable)


@dataclass(frozen=True)
class Sampled:
    """The samples of one process: the seconds of a call, all samples of calls, and those in each part."""

    seconds: float
    samples: int
    counts: Mapping[Hashable, int]

    def spent(self, part: Hashable) -> float:
        """Return the seconds of a call that are spent in a part."""
        return self.seconds * self.counts.get(part, 0) / self.samples

    def variance(self, part: Hashable) -> float:
        """Return the variance of that by counting alone."""
        share = self.counts.get(part, 0) / self.samples
        return self.seconds**2 * share * (1 - share) / self.samples

    def seen(self, part: Hashable) -> int:
        """Return the samples in a part."""
        return self.counts.get(part, 0)

    def at(self, scale: float) -> Sampled:
        """Return it on a machine on which everything takes so many times as long."""
        return replace(self, seconds=self.seconds * scale)


@dataclass(frozen=True)
class Itemised:
    """The time of one process by its parts, each known by a clock of its own."""

    parts: Mapping[str, float]

    @property
    def seconds(self) -> float:
        """All of them."""
        return math.fsum(self.parts.values())

    def spent(self, part: Hashable) -> float:
        """Return the seconds of a part."""
        return self.parts.get(str(part), 0.0)

    def variance(self, part: Hashable) -> float:
        """Return no variance: nothing is counted."""
        return 0.0

    def seen(self, part: Hashable) -> int:
        """Return whether the part was there."""
        return int(part in self.parts)

    def at(self, scale: float) -> Itemised:
        """Return it on a machine on which everything takes so many times as long."""
        return Itemised({part: value * scale for part, value in self.parts.items()})


#: What one process gave.
Spent = TypeVar("Spent", Sampled, Itemised)


@dataclass(frozen=True)
class Growth:
    """What a part takes on both sides, in seconds.

    Attributes
    ----------
    verdict
        `GREW`, `SHRANK` or `NOT_SHOWN`.
    old, new
        The means over processes.
    low, high
        The interval of the difference: of 95 %, wider where the verdict says that it changed.
    samples
        How often the part was seen on both sides, in all processes.
    """

    verdict: str
    old: float
    new: float
    low: float
    high: float
    samples: tuple[int, int]

    @property
    def difference(self) -> float:
        """New less old."""
        return self.new - self.old


def grown(rounds: Sequence[tuple[Spent, Spent]], parts: Sequence[Part]) -> dict[Part, Growth]:
    """Return what is shown of each part.

    Parameters
    ----------
    rounds
        The old and the new side's process of each round.
    parts
        What is asked about: all of them are judged together.

    Raises
    ------
    ValueError
        There are less than two rounds, which say nothing of noise.
    """
    if len(rounds) < 2:
        raise ValueError("one round says nothing of noise")
    rounds = at_one_speed(rounds)
    longest = max(mean([pair[side].seconds for pair in rounds]) for side in (0, 1))
    levels = {
        part: (mean([old.spent(part) for old, _ in rounds]), mean([new.spent(part) for _, new in rounds]))
        for part in parts
    }
    worth = [part for part in parts if max(levels[part]) >= LEAST * longest]
    shifts = {part: shift(rounds, part) for part in parts}
    freedom = len(rounds) - 1.0
    chances = [chance(*shifts[part], freedom) for part in worth]
    by_chance = dict(zip(worth, adjusted(chances), strict=True))
    shown = {part for part in worth if by_chance[part] <= ERROR_RATE and abs(shifts[part][0]) >= LEAST * longest}
    found = {}
    for part in parts:
        middle, error = shifts[part]
        rate = ERROR_RATE * len(shown) / len(worth) if part in shown else ERROR_RATE
        reach = quantile(rate / 2, freedom) * error
        samples = sum(old.seen(part) for old, _ in rounds), sum(new.seen(part) for _, new in rounds)
        verdict = (GREW if middle > 0 else SHRANK) if part in shown else NOT_SHOWN
        found[part] = Growth(verdict, *levels[part], middle - reach, middle + reach, samples)
    return found


def mean(values: Sequence[float]) -> float:
    """Return the arithmetic mean: seconds of parts add up to those of a call."""
    return math.fsum(values) / len(values)


def at_one_speed(rounds: Sequence[tuple[Spent, Spent]]) -> list[tuple[Spent, Spent]]:
    """Return rounds with times as if the machine had been equally fast in all: their geometric mean is that of all."""
    speeds = [math.log(old.seconds * new.seconds) / 2 for old, new in rounds]
    scales = [math.exp(mean(speeds) - speed) for speed in speeds]
    return [(old.at(scale), new.at(scale)) for (old, new), scale in zip(rounds, scales, strict=True)]


def shift(rounds: Sequence[tuple[Spent, Spent]], part: Hashable) -> tuple[float, float]:
    """Return by how much a part grew, the mean of the rounds, and the standard error of that."""
    differences = [new.spent(part) - old.spent(part) for old, new in rounds]
    middle = mean(differences)
    seen = math.fsum((each - middle) ** 2 for each in differences) / (len(rounds) - 1)
    counted = mean([old.variance(part) + new.variance(part) for old, new in rounds])
    return middle, math.sqrt(max(seen, counted) / len(rounds))


def chance(middle: float, error: float, freedom: float) -> float:
    """Return the chance of so large a shift, either way, where nothing changed."""
    return 2 * tail(abs(middle) / error, freedom) if error else float(not middle)
