"""What one comparison of two releases gave, as it is kept in files; and what it says of a third release."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from arrayspeed.decide.words import (
    BROKEN,
    DIFFERS,
    ERRORS,
    FAILS,
    ORDER,
    SIZES,
    SOMETIMES,
    TIMES,
    WORKS,
    WORSE,
    lacks_bound,
)
from arrayspeed.formats.verdicts import interval_text, number
from arrayspeed.verdict.rows import Row

#: What is compared: a function, a size and a measure; or a benchmark with its parameters.
What = tuple[Any, ...]

#: What, an earlier release, and a later one; in place of the earlier one two: the middle between them.
Asked = tuple[What, str | tuple[str, str], str]

#: Whatever differs from the middle between two releases: the nearer one is asked for.
NEARER = 1.0

#: What more of a measure is called -> what less of it is.
LESS = {words.more: words.less for words in (TIMES, SIZES, ERRORS)}

#: A ratio that no candidate has to be beyond or within: where the question is whether it fails.
ANY = 10.0


@dataclass(frozen=True)
class Found:
    """One comparison.

    Attributes
    ----------
    what, name
        What was compared, and what people call it.
    verdict
        A word of `arrayspeed.decide.words`, or ``differs``.
    ratio, low, high, rounds
        As in `arrayspeed.decide.Decision`; None of results.
    old, new
        What both gave, in their unit.
    detail
        Why one fails, or how results differ.
    bounded
        Whether a change for the worse beyond the limit is excluded.
    """

    what: What
    name: str
    verdict: str
    ratio: float | None = None
    low: float | None = None
    high: float | None = None
    rounds: int = 0
    old: str = ""
    new: str = ""
    detail: str = ""
    bounded: bool = False

    @property
    def worse(self) -> bool:
        """Whether the later release is worse."""
        return self.verdict in WORSE

    @property
    def open(self) -> bool:
        """Whether a change for the worse beyond the limit may hide in it."""
        return lacks_bound(self)

    @property
    def change(self) -> str:
        """The ratio with its interval."""
        if self.ratio is None:
            return ""
        if self.low is None or self.high is None:
            return f"×{number(self.ratio)}"
        return interval_text(self.ratio, self.low, self.high)

    @property
    def text(self) -> str:
        """In a line: ``solve(100) time: slower ×1.30 (1.29–1.31), 10.1 ms → 13.1 ms``."""
        values = f"{self.old} → {self.new}" if self.old or self.new else ""
        found = ", ".join(filter(None, [f"{self.verdict} {self.change}".strip(), values, self.detail]))
        return f"{self.name}: {found}"

    def data(self) -> dict[str, Any]:
        """As files hold it."""
        return asdict(self)


def of_data(data: dict[str, Any]) -> Found:
    """Return what `Found.data` made."""
    return Found(**{**data, "what": tuple(data["what"])})


def of_row(what: What, row: Row) -> Found:
    """From a row of a verdict."""
    name = " ".join(filter(None, [row.item, row.backend, row.quantity.title if row.item != row.quantity.title else ""]))
    old, new = row.values
    one = row.decision
    if one is None or row.negligible:  # the ratio that was judged is that of the value below which all are alike
        rounds = one.rounds if one else 0
        said = row.change if one else row.detail
        return Found(what, name, row.verdict, None, None, None, rounds, old, new, said, row.bounded)
    return Found(what, name, row.verdict, one.ratio, one.low, one.high, one.rounds, old, new, row.detail, row.bounded)


def worst_first(comparisons: Iterable[Found]) -> list[Found]:
    """By the words, and the largest changes of each first."""
    return sorted(
        comparisons, key=lambda item: (ORDER.index(item.verdict), -abs(math.log(item.ratio)) if item.ratio else 0.0)
    )


def counted(comparisons: Iterable[Found]) -> str:
    """Return how many there are of each word: ``2 slower, 14 same``."""
    counts = Counter(one.verdict for one in worst_first(comparisons))
    return ", ".join(f"{count} {word}" for word, count in counts.items()) or "nothing was compared"


def asked_of(target: Found, old: str, version: str, new: str) -> dict[Asked, float | None]:
    """Return what a step asks of a target: of the new end whether it is worse still, and of the release which end it is
    nearer to, on a logarithmic scale; of what fails, or returns another result, whether that is so in the release too.
    """
    if target.verdict in (FAILS, DIFFERS):
        factor = ANY if target.verdict == FAILS else None
        return {(target.what, old, version): factor, (target.what, old, new): factor}
    return {(target.what, (old, new), version): NEARER, (target.what, old, new): None}


def middle(end: Found) -> float | None:
    """Return the ratio to the old end that is half of the way to the new one; None of results."""
    if end.verdict == DIFFERS:
        return None
    if end.verdict == FAILS or not end.ratio:
        return ANY
    return math.sqrt(max(end.ratio, 1 / end.ratio))


def searchable(end: Found) -> bool:
    """Return whether a search for it can end: what fails sometimes may work in every process of a step by chance."""
    return end.worse and end.verdict != SOMETIMES


def like_the_new(target: Found, candidate: Found | None, end: Found | None) -> bool | None:
    """Return whether a release is like the new end; None where that was not shown.

    Parameters
    ----------
    target
        What was found of the ends before.
    candidate
        The release against the middle between the ends; of what fails, or returns another result, against the old end.
    end
        The new end against the old one, in the same rounds.
    """
    if candidate is None or end is None or not alike(target, end):
        return None
    if target.verdict == DIFFERS:
        return candidate.verdict == DIFFERS
    if target.verdict == FAILS:
        return None if candidate.verdict in (BROKEN, SOMETIMES, WORKS) else candidate.verdict == FAILS
    return {target.verdict: True, LESS.get(target.verdict): False}.get(candidate.verdict)


def alike(target: Found, end: Found) -> bool:
    """Return whether a change shows again: a failure as a failure, and anything else as what it was."""
    return target.verdict == end.verdict
