"""Everything that was found of a comparison, and what it amounts to."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from arrayspeed.decide import UNCLEAR_SHARE, exit_status
from arrayspeed.decide.means import Mean, geometric_mean
from arrayspeed.decide.words import (
    ALIKE,
    BROKEN,
    DIFFERS,
    FAILS,
    LIMIT,
    OPEN,
    ORDER,
    SAME,
    SOMETIMES,
    UNCLEAR,
    WORSE,
    Word,
    lacks_bound,
)
from arrayspeed.verdict.outcome import OUTCOMES, outcome
from arrayspeed.verdict.rows import Row, order

#: The outcome by exit status, where the question is which side is the fastest.
FASTEST = ("decided", "something fails or differs", "not decided")

#: The name of what results are compared by.
RESULT = "result"


@dataclass(frozen=True)
class Side:
    """A side: what it is called, its Python, the packages installed there, its environment variables, and which BLAS
    and OpenMP its processes have loaded (`arrayspeed.system.pools`).
    """

    label: str
    python: str = ""
    packages: Mapping[str, str] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)
    loaded: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True)
class Best:
    """The fastest sides of something: all that no other one is shown to be faster than. ``labels``: as of `Row`."""

    item: str
    sides: Sequence[str]
    labels: Mapping[str, Any]

    @property
    def text(self) -> str:
        """In a sentence."""
        if not self.sides:
            said = "none works"
        elif len(self.sides) == 1:
            said = self.sides[0]
        else:
            said = f"{', '.join(self.sides[:-1])} or {self.sides[-1]}, of which none is shown to be slower"
        return f"Fastest of {self.item}: {said}."


@dataclass(frozen=True)
class Average:
    """The geometric mean of ratios of a quantity, of one side and family; ``family`` is "all" where it is of all."""

    title: str
    family: str
    side: str
    mean: Mean


@dataclass(frozen=True)
class Verdict:
    """A comparison.

    Attributes
    ----------
    title
        What is compared.
    sides
        Where; the first side is the reference.
    rows
        Everything that was compared.
    notes
        What a reader must know.
    factor, unclear_share
        The ratio that somebody would act on, and the share that may stay open.
    best
        The fastest sides, where that is the question; None where it is what became worse.
    limit
        The ratio that every comparison must be shown to stay below.
    machine
        The machine that measured.
    labels
        What programs read besides: the file, the library.
    same
        Why there was nothing to measure, where both sides are the same; "" else.
    """

    title: str
    sides: Sequence[Side]
    rows: Sequence[Row]
    notes: Sequence[str]
    factor: float
    unclear_share: float = UNCLEAR_SHARE
    best: Sequence[Best] | None = None
    limit: float = LIMIT
    machine: str = ""
    labels: Mapping[str, Any] = field(default_factory=dict)
    same: str = ""

    @property
    def status(self) -> int:
        """The exit status: 1 too where results differ. Where the question is which side is the fastest, only failures
        and results count, and what of the times is undecided.
        """
        if self.same:
            return 0
        if self.best is None:
            return exit_status(self.counted, self.unclear_share)
        words = [row.verdict for row in self.counted]
        meant = dict.fromkeys(set(WORSE) - {DIFFERS, FAILS, SOMETIMES}, SAME) | dict.fromkeys(OPEN, UNCLEAR)
        return exit_status([Word(meant.get(word, word)) for word in words], self.unclear_share)

    @property
    def counted(self) -> list[Row]:
        """The rows that the exit status depends on."""
        return [row for row in self.rows if self.best is None or row.quantity.carries or row.quantity.name == RESULT]

    @property
    def counts(self) -> dict[str, int]:
        """How many rows there are of each word, the worst first."""
        number = Counter(row.verdict for row in self.rows)
        return {word: number[word] for word in sorted(number, key=ORDER.index)}

    @property
    def headline(self) -> str:
        """What is compared, and the outcome."""
        return f"{self.title}: {self.outcome}"

    @property
    def outcome(self) -> str:
        """The outcome in a sentence."""
        if self.same:
            return f"{OUTCOMES[0]}: {self.same}."
        if self.best is None:
            return outcome(self.counted, self.status, self.limit)
        left = sum(row.verdict in OPEN for row in self.counted)
        compared = sum(row.verdict != BROKEN for row in self.counted)
        return f"{FASTEST[self.status]}{f': {left} of {compared} comparisons are unclear' if self.status == 2 else ''}."

    @property
    def open(self) -> list[Row]:
        """What a change for the worse beyond the limit may hide in."""
        return [row for row in self.rows if lacks_bound(row)]

    @property
    def listed(self) -> list[Row]:
        """What is worth a look: everything but what is the same or negligible and never failed; the worst first."""
        return sorted((row for row in self.rows if row.verdict not in ALIKE or row.remark), key=order)

    @property
    def alike(self) -> list[Row]:
        """The rest."""
        return [row for row in self.rows if row.verdict in ALIKE and not row.remark]

    @property
    def averages(self) -> list[Average]:
        """The geometric means of ratios, of all and by family, where there are two or more."""
        groups = defaultdict(list)
        for row in self.rows:
            if row.observed is not None and row.quantity.averaged:
                for family in dict.fromkeys(("all", row.family or "all")):
                    groups[row.quantity.title, row.side, family].append(row.observed)
        families: dict[tuple[str, str], list[str]] = defaultdict(list)
        for title, side, family in groups:
            families[title, side].append(family)
        made = []
        for (title, side), names in families.items():
            for family in ("all", *sorted(set(names) - {"all"})) if len(names) > 2 else ("all",):
                group = groups[title, side, family]
                if len(group) > 1 and (mean := geometric_mean(group)):
                    made.append(Average(title, family, side, mean))
        return made
