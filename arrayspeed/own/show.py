"""A verdict for people at a terminal, for a pull request, and for programs."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from arrayspeed.decide.observed import Value
from arrayspeed.formats.verdicts import decision_data, markdown_table, markdown_text, style, table
from arrayspeed.model.text import printable
from arrayspeed.own.best import sentences
from arrayspeed.own.notes import name
from arrayspeed.own.verdict import DIFFERS, Row, Verdict


def headings(verdict: Verdict) -> list[str]:
    """Of a table; a column of sides where they are more than two."""
    old, new = verdict.sides[0].label, verdict.sides[1].label
    sides = [old, new] if len(verdict.sides) == 2 else ["side", old, "this side"]
    return ["verdict", "of", "function", *sides, "ratio (95 % interval)", "rounds"]


def cells(verdict: Verdict, row: Row) -> list[str]:
    """One comparison in words."""
    side = [row.side] if len(verdict.sides) > 2 else []
    rounds = str(row.decision.rounds) if row.decision else ""
    return [row.verdict, row.title, row.name, *side, *row.values, row.change, rounds]


def remarks(verdict: Verdict, rows: Sequence[Row]) -> list[str]:
    """What there is to say of rows beside their figures."""
    lines = []
    for row in filter(lambda row: row.remark, rows):
        side = f" ({row.side})" if len(verdict.sides) > 2 else ""
        lines.append(f"{row.name}, {row.title}{side}: {row.remark}")
    return lines


def look(row: Row) -> str:
    """How a terminal shows a row."""
    return "bold red" if row.verdict == DIFFERS else style(row.verdict)


def as_table(verdict: Verdict) -> RenderableType:
    """For a terminal: everything, the worst first."""
    rows = [*verdict.listed, *verdict.same]
    parts: list[RenderableType] = [Text(verdict.headline, style="bold")]
    parts += [Text(line, style="bold") for line in sentences(verdict.best or {}, name)]
    if rows:
        parts.append(table(headings(verdict), [cells(verdict, row) for row in rows], map(look, rows)))
    parts += [Text(printable(line)) for line in remarks(verdict, rows)]
    return Group(*parts, *(Text(line, style="dim") for line in verdict.notes))


def as_markdown(verdict: Verdict) -> str:
    """For a pull request: what is worse, changed or unclear; the rest folded away."""
    lines = [f"**{markdown_text(verdict.headline)}**", ""]
    lines += [f"{markdown_text(line)}  " for line in sentences(verdict.best or {}, name)] + [""]
    if rows := verdict.listed:
        lines += markdown_table(headings(verdict), [cells(verdict, row) for row in rows])
        lines += [*(f"- {markdown_text(line)}" for line in remarks(verdict, rows)), ""]
    if rows := verdict.same:
        lines += ["<details>", f"<summary>{len(rows)} the same</summary>", ""]
        lines += [*markdown_table(headings(verdict), [cells(verdict, row) for row in rows]), "</details>", ""]
    return "\n".join([*lines, *(f"<sub>{markdown_text(line)}</sub>  " for line in verdict.notes)])


def as_json(verdict: Verdict) -> str:
    """For programs: as ``arrayspeed decide`` writes it, and what own code has besides."""
    data = {
        "conclusion": verdict.headline,
        "file": verdict.script.name,
        "factor": verdict.factor,
        "sides": [
            {"label": one.label, "python": one.version, "packages": dict(one.packages), "env": dict(one.side.variables)}
            for one in verdict.sides
        ],
        "comparisons": [row_data(verdict, row) for row in verdict.rows],
        "best": [
            {"function": function, "size": size, "sides": list(sides)}
            for (function, size), sides in (verdict.best or {}).items()
        ],
        "verdict_counts": verdict.counts,
        "notes": list(verdict.notes),
        "exit_status": verdict.status,
    }
    return json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False)


def row_data(verdict: Verdict, row: Row) -> dict[str, Any]:
    """One comparison with its processes."""
    where = f" {row.side}" if len(verdict.sides) > 2 else ""
    name = f"{row.name} {row.measure}{where}"
    empty = dict.fromkeys(("ratio", "low", "high"))
    found = (
        decision_data(name, row.decision)
        if row.decision
        else {"comparison": name, "verdict": row.verdict, "worse": row.worse, **empty}
    )
    if row.observed is not None and row.negligible:
        # The ratio that was judged is that of the value below which all are alike.
        found |= empty | {"below": row.observed.lift}
    if row.bound:
        found["bound"] = row.bound.strip()
    found |= {"function": row.function, "size": row.size, "measure": row.measure, "side": row.side}
    if row.detail:
        found["detail"] = row.detail
    if row.decision is None or row.observed is None:
        return found | {"difference": row.difference}
    return found | {"reference": processes(row.observed.reference), "subject": processes(row.observed.subject)}


def processes(side: Mapping[Hashable, Value]) -> list[dict[str, Any]]:
    """What each process of a side gave."""
    return [{"round": number, "value": value} for number, value in side.items()]
