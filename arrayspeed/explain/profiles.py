"""Profiles of code that nothing compiles: the functions that a call runs, and where it spends its time."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

#: Functions that are said to take the time.
MOST = 5


def lines(text: str) -> list[str]:
    """Return how often each function is called in one call, by name: the time is no part of the program."""
    return [f"{count} × {name}" for name, count, _ in sorted(rows(text))]


def counts(names: Sequence[str]) -> dict[str, float]:
    """Functions, and their calls."""
    return {"functions": len(names), "calls": round(sum(float(each.partition(" ")[0]) for each in names), 3)}


def times(text: str) -> list[tuple[str, float]]:
    """Return the functions that take most of the time, each with its own share."""
    return [(name, share) for name, _, share in itertools.islice(rows(text), MOST)]


def rows(text: str) -> Iterator[tuple[str, str, float]]:
    """Name, calls in one call, and share of the time, as a profile has them."""
    for each in text.splitlines():
        count, share, name = each.split("\t", 2)
        yield name, count, float(share)
