"""One comparison of a side with the reference, as people read it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from arrayspeed.decide import Decision, Observed
from arrayspeed.decide.words import ALIKE, OPEN, ORDER, TIMES, WORSE, Words
from arrayspeed.formats.verdicts import failures_text, faults_text, ratio_text


@dataclass(frozen=True)
class Quantity:
    """What was measured.

    Attributes
    ----------
    name
        As programs read it.
    title, heading
        As a column and a page call it.
    shown
        A value with its unit, in text.
    averaged
        Whether the geometric mean of its ratios says anything.
    carries
        Whether it is there even where what is measured fails: it carries the failures.
    inverse
        Whether more of it is better. Its inverse is what is judged; what is shown and written is the value itself.
    """

    name: str
    title: str
    heading: str
    shown: Callable[[float], str]
    averaged: bool = True
    carries: bool = False
    inverse: bool = False

    def value(self, judged: float) -> float:
        """Return a value itself, from what is judged."""
        return 1 / judged if self.inverse else judged


@dataclass(frozen=True)
class Row:
    """One comparison of a side with the reference.

    Attributes
    ----------
    name
        What programs call it; no two rows of a verdict have the same.
    item
        What people call what was measured: ``solve(100)``, ``matmul 1,000``.
    quantity
        What was measured of it.
    side
        The side's label.
    verdict
        A word of `arrayspeed.decide.words`.
    decision, observed
        What it follows from; None of a result.
    backend, family
        Of a kernel.
    faults
        Page faults of a call on both sides; None where they were not counted.
    detail
        Why it fails, or how results differ.
    difference
        The largest relative difference of results.
    summaries
        Results of both sides, in short.
    labels
        What programs read besides: function, kernel, size.
    was
        The word that somebody has accepted.
    processes
        What each process gave on both sides, as programs read it.
    """

    name: str
    item: str
    quantity: Quantity
    side: str
    verdict: str
    decision: Decision | None = None
    observed: Observed | None = None
    backend: str = ""
    family: str = ""
    faults: tuple[float | None, float | None] = (None, None)
    detail: str = ""
    difference: float | None = None
    summaries: tuple[str, str] = ("", "")
    labels: Mapping[str, Any] = field(default_factory=dict)
    was: str = ""
    processes: tuple[Sequence[Mapping[str, Any]], Sequence[Mapping[str, Any]]] | None = None

    @property
    def worse(self) -> bool:
        """Whether it makes the exit status 1."""
        return self.verdict in WORSE

    @property
    def bounded(self) -> bool:
        """Whether a change for the worse beyond the limit is excluded."""
        return self.decision.bounded if self.decision else self.verdict in ALIKE

    @property
    def words(self) -> Words:
        """What more and less are called."""
        return self.observed.words if self.observed else TIMES

    @property
    def most(self) -> float | None:
        """What the ratio is shown to be at most, of values that are lifted to the least that counts; None where it is
        unknown, or means nothing.
        """
        return None if self.decision is None or self.negligible else self.decision.bound

    @property
    def known(self) -> tuple[float | None, float | None]:
        """What both sides gave, in the measure's unit; None where a side gave nothing."""
        if self.observed is None:
            return None, None
        old, new = (self.observed.geometric_mean(side) for side in (self.observed.reference, self.observed.subject))
        return old, new

    @property
    def values(self) -> tuple[str, str]:
        """What both sides gave, in text."""
        if self.observed is None:
            return self.summaries
        shown, value_of = self.quantity.shown, self.quantity.value
        old, new = ("failed" if value is None else shown(value_of(value)) for value in self.known)
        return old, new

    @property
    def negligible(self) -> bool:
        """Whether both sides are so small that their ratio means nothing, and known well enough to say so."""
        if self.observed is None or not self.observed.floor or self.observed.within > self.observed.floor:
            return False
        old, new = self.known
        return old is not None and new is not None and max(old, new) <= self.observed.floor

    @property
    def lifted(self) -> str:
        """What the ratio is where one side is so small that the value below which all are alike stands for it."""
        old, new = self.known
        if self.negligible or self.decision is None or not self.decision.ratio or old is None or new is None:
            return ""
        if self.observed is None or min(old, new) >= self.observed.floor:
            return ""
        return "at least " if old < new else "at most "

    @property
    def change(self) -> str:
        """The ratio with its interval, or how results differ."""
        if self.observed is not None and self.negligible:
            return f"both below {self.quantity.shown(self.observed.floor)}"
        if self.decision is not None:
            return self.lifted + ratio_text(self.decision)
        return "" if self.difference is None else f"by {self.difference:.1e}" if self.difference else "equal"

    @property
    def failures(self) -> str:
        """How often it failed, where that is not every time."""
        one = self.decision
        partly = one is not None and (
            0 < one.failed_reference < one.processes_reference or 0 < one.failed_subject < one.processes_subject
        )
        return f"failed: {failures_text(one)}" if one is not None and partly else ""

    @property
    def remark(self) -> str:
        """What there is to say beside the figures."""
        faults = "" if self.verdict in (*OPEN, *ALIKE) else faults_text(*self.faults)
        return "; ".join(filter(None, [self.failures, self.detail, faults]))


def order(row: Row) -> tuple[int, float]:
    """Return a key to sort by: the worst words first, and the largest changes."""
    ratio = row.decision.ratio if row.decision else None
    return ORDER.index(row.verdict), -max(ratio, 1 / ratio) if ratio else 0.0
