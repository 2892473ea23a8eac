"""What a verdict amounts to, in a sentence that somebody who decides can act on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from arrayspeed.decide.words import ERRORS, FAILURES, ORDER, SIZES, TIMES, UNCOMPARED, WORKS, WORSE, lacks_bound
from arrayspeed.formats.verdicts import number, upwards
from arrayspeed.verdict.rows import Row

#: By exit status.
OUTCOMES = ("SAFE", "NOT SAFE", "UNDECIDED")

#: What more of a measure is called -> a change for the worse of it.
CHANGES = {TIMES.more: "slowdown", SIZES.more: "growth", ERRORS.more: "loss of accuracy"}

#: Comparisons that a sentence names; the rest are counted.
NAMED = 3


def outcome(rows: Sequence[Row], status: int, limit: float) -> str:
    """Return the outcome of an upgrade; ``rows``: what its exit status depends on."""
    said = (safe, not_safe, undecided)[status](rows, limit)
    return f"{OUTCOMES[status]}: {said}."


def safe(rows: Sequence[Row], limit: float) -> str:
    """Nothing is worse, and so much is excluded."""
    only_times = all(row.words == TIMES for row in rows)
    return f"nothing is {TIMES.more if only_times else 'worse'}{excluded(rows, limit)}{exceptions(rows)}"


def excluded(rows: Iterable[Row], limit: float) -> str:
    """Return the least bounds that all rows stay below, those apart whose differences are too small to matter."""
    bounds: dict[str, float] = {}
    for row in rows:
        if row.bounded and row.most is not None and row.most <= limit:
            kind = CHANGES[row.words.more]
            bounds[kind] = max(bounds.get(kind, 1.0), row.most)
    parts = [f"no {kind}{f' beyond ×{upwards(bound)}' if bound > 1 else ''}" for kind, bound in bounds.items()]
    return f"; {' and '.join(parts)} can hide" if parts else ""


def exceptions(rows: Sequence[Row]) -> str:
    """Return the rows of which nothing like that can be said, where so many are allowed."""
    left = [row for row in rows if lacks_bound(row)]
    return f", except in {listed(map(hiding, left))}" if left else ""


def not_safe(rows: Sequence[Row], limit: float) -> str:
    """Return what is worse, by its words."""
    parts = []
    for word in (word for word in ORDER if word in WORSE):
        if found := [row for row in rows if row.verdict == word]:
            # Calls first: what happens once a process matters less.
            found.sort(key=lambda row: (not row.quantity.carries, -((row.decision and row.decision.ratio) or 0.0)))
            parts.append(f"{len(found)} {word} ({listed(map(changed, found))})")
    return ", ".join(parts)


def undecided(rows: Sequence[Row], limit: float) -> str:
    """Return the largest change that could hide, and where."""
    left = [row for row in rows if lacks_bound(row)]
    if not left:
        nothing = all(row.verdict in (*UNCOMPARED, WORKS) for row in rows)
        return "nothing could be compared" if nothing else "nothing was measured"
    left.sort(key=lambda row: -(row.most or float("inf")))
    known = [row for row in left if row.most is not None]
    if len(known) < len(left):
        return f"too little was measured of {listed(name_of(row) for row in left if row.most is None)}"
    kind = CHANGES[left[0].words.more]
    most = left[0].most
    assert most is not None  # those without came first
    rest = f", a smaller one in {len(left) - 1} more" if len(left) > 1 else ""
    return f"a {kind} of ×{upwards(most)} could hide in {name_of(left[0])}{rest}"


def hiding(row: Row) -> str:
    """Return a row that is not bounded, with what could hide there."""
    return name_of(row) if row.most is None else f"{name_of(row)} (at most ×{upwards(row.most)})"


def changed(row: Row) -> str:
    """Return a row with its ratio: ``sort ×1.30``."""
    ratio = row.decision.ratio if row.decision else None
    return (
        name_of(row)
        if ratio is None or row.negligible or row.verdict in FAILURES
        else f"{name_of(row)} {row.lifted}×{number(ratio)}"
    )


def name_of(row: Row) -> str:
    """Return what was compared: a time by its function, anything else with what it is."""
    name = " ".join(filter(None, [row.item, row.backend]))
    plain = row.quantity.carries or row.item == row.quantity.title
    return name if plain else f"{row.quantity.title} of {name}"


def listed(names: Iterable[str]) -> str:
    """Return the first few names, and how many more there are."""
    every = list(names)
    more = [f"{len(every) - NAMED} more"] if len(every) > NAMED else []
    return ", ".join([*every[:NAMED], *more])
