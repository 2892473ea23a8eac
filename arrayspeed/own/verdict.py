"""What was found of own code, as a verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from arrayspeed.decide import Decision, Observed
from arrayspeed.decide.words import DIFFERS, FAILS, NEW, SAME, WORKS
from arrayspeed.environments.machine import describe
from arrayspeed.measure.looking import Limits
from arrayspeed.model.units import significant
from arrayspeed.own.best import best
from arrayspeed.own.imports import dearer
from arrayspeed.own.loaded import loaded
from arrayspeed.own.measures import MEASURES, MODULE, RETAINED, TIME, Key, Measure
from arrayspeed.own.notes import name, notes_of
from arrayspeed.own.records import Records, Size
from arrayspeed.own.script import Script
from arrayspeed.own.sides import Ready
from arrayspeed.verdict.loaded import note
from arrayspeed.verdict.rows import Quantity, Row
from arrayspeed.verdict.verdict import RESULT, Best, Side, Verdict

#: Whether both sides return the same.
RESULTS = Quantity(RESULT, "result", "Results", significant, averaged=False)

#: Whether a side makes of what the other one returned what that itself does: from old to new, and from new to old.
EXCHANGES = tuple(
    Quantity(
        f"exchange_{maker}_{reader}",
        f"{maker} read by {reader}",
        f"What {maker} returned, read by {reader}",
        significant,
        False,
    )
    for maker, reader in (("old", "new"), ("new", "old"))
)


def verdict(
    script: Script,
    sides: Sequence[Ready],
    records: Records,
    observed: Mapping[Key, Observed],
    decisions: Mapping[Key, Decision],
    limits: Limits,
    unclear_share: float,
    more: Sequence[str] = (),
    every_pair: bool = False,
) -> Verdict:
    """Return what the decisions and the results amount to.

    ``more``: further notes; ``every_pair``: which side is the fastest is the question, and all were compared with all.
    """
    rows = []
    for key, decision in decisions.items():
        if isinstance(key[3], str):  # of two other sides only the best set is
            commits = any(side.side.build for side in sides)
            rows.append(row_of(records, key[:3], (records.sides[0], key[3]), decision, observed[key], commits))
    # A figure without a ratio has a result and no decision.
    every = [*((function, size) for function, size, _, _ in decisions), *(item[:2] for item in records.found)]
    items = list(dict.fromkeys((function, size) for function, size in every if function is not None))
    for function, size in items:
        for side in records.sides[1:]:
            rows += result_rows(records, function, size, side)
            rows += exchange_rows(records, function, size, side)
    labels, known = [side.label for side in sides], loaded(records)
    what = " → ".join(labels) if len(labels) == 2 else f"{labels[0]} against {', '.join(labels[1:])}"
    fastest = best(decisions, records.sides) if every_pair else None
    return Verdict(
        f"{script.name}, {what}",
        [
            Side(side.label, side.version, side.packages, dict(side.side.variables), known.get(side.label) or ())
            for side in sides
        ],
        rows,
        [
            *notes_of(script, sides, records, items, [row.quantity.name for row in rows], limits, unclear_share),
            *filter(None, [note([known.get(label) for label in labels])]),
            *more,
        ],
        limits.factor,
        unclear_share,
        None if fastest is None else [Best(name(item), names, labels_of(*item)) for item, names in fastest.items()],
        limits.limit,
        describe()["machine"],
        {"file": script.name},
    )


def row_of(
    records: Records,
    what: tuple[str | None, Size, str],
    sides: tuple[str, str],
    decision: Decision,
    observed: Observed,
    commits: bool = False,
) -> Row:
    """Return one comparison of two sides: a function, None where it is the import, its size, and a measure.
    ``commits``: sides are such, of which an earlier one need not know what a later one brings.
    """
    function, size, measure = what
    failed = decision.failed_reference or decision.failed_subject
    return Row(
        f"{item_of(function, size)} {measure}{f' {sides[1]}' if len(records.sides) > 2 else ''}",
        item_of(function, size),
        MEASURES[measure].quantity,
        sides[1],
        NEW if commits and decision.verdict == WORKS else decision.verdict,
        decision,
        observed,
        faults=faults(records, function, size, sides) if measure in (TIME, RETAINED) else (None, None),
        detail=reason(records, function, size, sides) if function and failed else modules(records, what, sides),
        labels=labels_of(function, size),
        processes=(processes(MEASURES[measure], observed.reference), processes(MEASURES[measure], observed.subject)),
    )


def modules(records: Records, what: tuple[str | None, Size, str], sides: tuple[str, str]) -> str:
    """Return which modules made the import of another one dearer."""
    function, size, measure = what
    return dearer(records, (function, size), sides) if function and measure == MODULE else ""


def item_of(function: str | None, size: Size) -> str:
    """Return what people call a function and its size; the import, where there is no function."""
    return "import" if function is None else name((function, size))


def labels_of(function: str | None, size: Size) -> dict[str, Any]:
    """Return what programs read of a function and its size."""
    return {"function": function, "size": size}


def processes(measure: Measure, side: Mapping[Any, Any]) -> list[dict[str, Any]]:
    """Return what each process of a side gave."""
    value_of = measure.quantity.value
    return [
        {"round": number, "value": value_of(value) if isinstance(value, float) else value}
        for number, value in side.items()
    ]


def faults(
    records: Records, function: str | None, size: Size, sides: tuple[str, str]
) -> tuple[float | None, float | None]:
    """Return the page faults of a call on both sides, the median over processes; None where they were not counted."""
    rows = records.of(function, size, records.rounds)
    counts = [[row[side].faults for row in rows] for side in sides]
    known = [[count for count in each if count is not None] for each in counts]
    before, after = (median(each) if each else None for each in known)
    return before, after


def reason(records: Records, function: str, size: Size, sides: Sequence[str]) -> str:
    """Return why a function failed, and where."""
    whys: dict[str, str] = {}
    for row in records.of(function, size, records.rounds):
        for side in sides:
            if why := row[side].why:
                whys.setdefault(side, why)
    if len(whys) > 1 and len(set(whys.values())) == 1:
        return f"fails in {' and '.join(whys)}: {next(iter(whys.values()))}"
    return "; ".join(f"fails in {side}: {why}" for side, why in whys.items())


def result_rows(records: Records, function: str, size: Size, side: str) -> list[Row]:
    """Return whether a side returns what the first one does; nothing where that was not compared in every round."""
    rows = [result for row in records.of(function, size, records.rounds) if (result := row[side].result)]
    if not rows or any(row["same"] is None for row in rows) or by_chance(rows):
        return []
    worst = next((row for row in rows if not row["same"]), None)
    old, new = rows[0]["summary"]
    differences = [row["difference"] for row in rows if row["difference"] is not None]
    return [
        Row(
            f"{item_of(function, size)} {RESULT}{f' {side}' if len(records.sides) > 2 else ''}",
            item_of(function, size),
            RESULTS,
            side,
            DIFFERS if worst else SAME,
            detail=worst["detail"] if worst else "",
            difference=max(differences) if differences and (not worst or worst["difference"] is not None) else None,
            summaries=(old or "", new or ""),
            labels=labels_of(function, size),
        )
    ]


def exchange_rows(records: Records, function: str, size: Size, side: str) -> list[Row]:
    """Return what a side and the first one make of what the other one returned, both ways; nothing where neither was
    asked, or where that cannot be told.
    """
    first = records.sides[0]
    found = []
    for quantity, (maker, reader) in zip(EXCHANGES, ((first, side), (side, first)), strict=True):
        every = [row[reader].exchanged for row in records.of(function, size, records.rounds)]
        rows = [one for each in every for one in each if one["maker"] == maker]
        if not rows or any(row["same"] is None for row in rows):
            continue
        worst = min(rows, key=lambda row: (row["same"], not row["failed"]))
        word = SAME if worst["same"] else FAILS if worst["failed"] else DIFFERS
        found.append(
            Row(
                f"{item_of(function, size)} {quantity.name}{f' {side}' if len(records.sides) > 2 else ''}",
                item_of(function, size),
                quantity,
                side,
                word,
                detail=worst["detail"],
                difference=worst["difference"] if worst["same"] else None,
                labels=labels_of(function, size),
            )
        )
    return found


def by_chance(rows: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether results differ, and those of one side differ from process to process too."""
    return any(not row["same"] for row in rows) and any(
        len({row["digests"][place] for row in rows}) > 1 for place in (0, 1)
    )
