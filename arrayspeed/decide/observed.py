"""What two sides of a comparison gave, round by round."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from statistics import median
from typing import TypeGuard, cast

from arrayspeed.decide.words import TIMES, Words

#: What a process gave that works: a value, or the batches that it took in turn with the other side, one value each.
Given = float | Sequence[float | None]

#: What a process gave; None where it failed.
Value = Given | None

#: What is one value, and not batches.
NUMBER = (int, float)


@dataclass(frozen=True)
class Observed:
    """One comparison.

    Attributes
    ----------
    reference, subject
        Round -> what the process of that round gave. A round in which one side is missing or failed pairs with nothing.
    group
        The variances of one group's comparisons are pooled: those of a backend and a measure.
    factor
        The ratio that matters here, where it is not the one that is asked for.
    least
        A difference that never matters, in the measure's unit, whatever the ratio: 1 MiB, 0.3 µs.
    floor
        Values below this are taken as this: a ratio to 0 means nothing.
    within
        What values may be wrong by, in the measure's unit, however well rounds agree: a difference is shown only beyond
        that, and "same" only where it leaves room for no larger one.
    words
        What more and less are called.
    exact
        The measure does not vary by chance, so that two rounds that agree are enough.
    sometimes
        Processes of the subject that failed made other calls that succeeded, so that it never fails for good.
    extra
        Standard deviation of the logarithm of the ratio that the samples cannot show, because the two sides were not
        measured in turn. Added to what they do show.
    usual
        Standard deviation of the logarithm of one pair's ratio that is usual for such comparisons, used where a group
        is too small to show it; 0 where none is.
    known
        Standard deviation of the logarithm of one process, used for a side of a single process; None where such a side
        says nothing.
    """

    reference: Mapping[Hashable, Value]
    subject: Mapping[Hashable, Value]
    group: Hashable = None
    factor: float | None = None
    least: float = 0.0
    floor: float = 0.0
    within: float = 0.0
    words: Words = field(default=TIMES)
    exact: bool = False
    sometimes: bool = False
    extra: float = 0.0
    usual: float = 0.0
    known: float | None = None

    @cached_property
    def rounds(self) -> list[Hashable]:
        """The rounds in which both sides gave something, in the reference's order."""
        return [key for key in self.reference if works(self.reference[key]) and works(self.subject.get(key))]

    @cached_property
    def _differences(self) -> list[float]:
        # In these rounds both gave something.
        reference, subject = (cast("Mapping[Hashable, Given]", side) for side in (self.reference, self.subject))
        return [self.difference(reference[key], subject[key]) for key in self.rounds]

    def differences(self) -> list[float]:
        """Logarithm of subject over reference, one a round that both sides have."""
        return list(self._differences)

    def difference(self, reference: Given, subject: Given) -> float:
        """One round's: of batches that were taken in turn, the median of the ratios of neighbours."""
        if not isinstance(reference, NUMBER) and not isinstance(subject, NUMBER):
            log = self.logarithm if self.floor else math.log
            pairs = [
                log(b) - log(a) for a, b in zip(reference, subject, strict=False) if a is not None and b is not None
            ]
            if pairs:
                return median(pairs)
        return self.logarithm(level(subject)) - self.logarithm(level(reference))

    def logarithms(self, side: Mapping[Hashable, Value]) -> list[float]:
        """Logarithms of what a side's processes gave, without those that failed."""
        return [self.logarithm(level(value)) for value in side.values() if works(value)]

    def geometric_mean(self, side: Mapping[Hashable, Value]) -> float | None:
        """Geometric mean of what a side's processes gave; None where none gave anything."""
        found = [level(value) for value in side.values() if works(value)]
        if not found or min(found) <= 0:
            return math.fsum(found) / len(found) if found else None
        return math.exp(math.fsum(map(math.log, found)) / len(found))

    def logarithm(self, value: float) -> float:
        """Of a value, lifted."""
        return math.log(max(value, self.floor))

    def threshold(self, factor: float) -> float:
        """Logarithm of the ratio that matters: the factor, or ``least`` on top of what the reference takes."""
        return max(self.ratio_alone(factor), self.on_top(self.least))

    def ratio_alone(self, factor: float) -> float:
        """Logarithm of the ratio that matters, whatever the difference."""
        return math.log(self.factor or factor)

    def most(self, factor: float, limit: float) -> float:
        """Logarithm of the ratio that must be excluded: the limit, or what is the least that matters."""
        return max(math.log(limit), self.threshold(factor))

    @property
    def below_floor(self) -> bool:
        """Whether both sides differ, and are below the value from which ratios mean anything."""
        old, new = (self.geometric_mean(side) for side in (self.reference, self.subject))
        return old is not None and new is not None and old != new and max(old, new) <= self.floor

    def blur(self) -> float:
        """Logarithm of the ratio by which ``within`` may have moved the one that was found."""
        return self.on_top(self.within)

    def on_top(self, difference: float) -> float:
        """Logarithm of the ratio that a difference on top of what the reference takes makes."""
        logs = self.logarithms(self.reference) if difference else []
        return math.log1p(difference / math.exp(math.fsum(logs) / len(logs))) if logs else 0.0

    def failures(self) -> tuple[int, int, int, int]:
        """Failed processes and all processes of the reference, and the same of the subject."""
        return self._failures

    @cached_property
    def _failures(self) -> tuple[int, int, int, int]:
        return (
            sum(not works(value) for value in self.reference.values()),
            len(self.reference),
            sum(not works(value) for value in self.subject.values()),
            len(self.subject),
        )


def works(value: Value) -> TypeGuard[Given]:
    """Return whether a process gave anything."""
    return value is not None and (isinstance(value, NUMBER) or value.count(None) < len(value))


def level(value: Given) -> float:
    """One number for a process: the median of its batches."""
    return value if isinstance(value, NUMBER) else median(batch for batch in value if batch is not None)


def halfway(value: Value, other: Value, floor: float = 0.0) -> Value:
    """Geometric mean of what two sides gave in a round, batch by batch where both took batches in turn: as a reference,
    it says to which of them a third side is nearer. None where either gave nothing.
    """
    if not works(value) or not works(other):
        return None
    if isinstance(value, NUMBER) or isinstance(other, NUMBER):
        return math.sqrt(max(level(value), floor) * max(level(other), floor))
    return [
        None if a is None or b is None else math.sqrt(max(a, floor) * max(b, floor))
        for a, b in zip(value, other, strict=False)
    ]
