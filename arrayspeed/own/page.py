"""A verdict as a page that is one file: no script, nothing fetched."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from html import escape

from arrayspeed.decide.words import FASTER, SIZES, UNCLEAR, WORKS, WORSE
from arrayspeed.model.text import printable
from arrayspeed.own.best import sentences
from arrayspeed.own.measures import MEASURES, RESULT, TIME
from arrayspeed.own.notes import name
from arrayspeed.own.verdict import DIFFERS, Row, Verdict

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; color: #1a1a1a }
h1, p, td { overflow-wrap: anywhere } h1 { font-size: 1.35rem } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem }
.table { overflow-x: auto } table { border-collapse: collapse; width: 100% } th { text-align: left; font-weight: 600 }
td + td { min-width: 7rem } td, th { padding: .25rem .75rem .25rem 0; border-top: 1px solid #ddd; vertical-align: top }
thead th, .remark td { border-top: 0 } .remark td { padding-top: 0; color: #666; overflow-wrap: anywhere }
.number { font-variant-numeric: tabular-nums; white-space: nowrap } summary { cursor: pointer; margin-top: .5rem }
.worse { color: #b3261e; font-weight: 600 } .better { color: #1b6e3c } .unclear { color: #8a5a00 }
p.status { padding: .75rem 1rem; border-left: 4px solid }
"""

#: Width and height of an interval's drawing, and the largest ratio on its axis, in steps.
WIDTH, HEIGHT, AXES = 220, 18, (1.2, 1.5, 2, 4, 10, 100, 1e4, 1e8)

TITLES = {
    TIME: "Time of a call",
    "first_call": "First call",
    "memory": "Memory at the peak of a call",
    "kept": "Memory that every call keeps",
    "import": "Import of the file",
    "metric": "Metric",
    RESULT: "Results",
}


def as_page(verdict: Verdict) -> str:
    """The page."""
    title = text(verdict.title)
    outcome = f"{verdict.outcome[:1].upper()}{verdict.outcome[1:]} Exit status {verdict.status}."
    body = [
        f"<h1>{title}</h1>",
        f'<p class="status {("", "worse", "unclear")[verdict.status]}">{text(outcome)}</p>',
        *(f"<p>{text(line)}</p>" for line in sentences(verdict.best or {}, name)),
        *(line for measure in (*MEASURES, RESULT) for line in section(verdict, measure)),
        *environments(verdict),
        "<h2>How it was decided</h2>",
        *(f"<p>{text(note)}</p>" for note in verdict.notes),
    ]
    return "\n".join(
        [
            "<!doctype html>",
            f'<html lang="en"><head><meta charset="utf-8"><title>{title}</title>',
            '<meta name="viewport" content="width=device-width">',
            f"<style>{STYLE}</style></head><body>",
            *body,
            "</body></html>\n",
        ]
    )


def text(value: object) -> str:
    """Foreign text in HTML."""
    return escape(printable(str(value)))


def tone(verdict: str) -> str:
    """The class of a word."""
    if verdict in WORSE or verdict == DIFFERS:
        return "worse"
    if verdict == UNCLEAR:
        return "unclear"
    return "better" if verdict in (FASTER, SIZES.less, WORKS) else ""


def section(verdict: Verdict, measure: str) -> list[str]:
    """One measure: a table, the worst rows first."""
    rows = [row for row in (*verdict.listed, *verdict.same) if row.measure == measure]
    if not rows:
        return []
    several = len(verdict.sides) > 2
    old, new = verdict.sides[0].label, verdict.sides[1].label
    names = ["side", old, "this side"] if several else [old, new]
    reach = axis(rows)
    drawn = [] if measure == RESULT else [f"drawn from ×{1 / reach:.3g} to ×{reach:g}"]
    head = ["verdict", "function", *names, "ratio (95 % interval)" if drawn else "largest difference", *drawn]
    body = [(line(verdict, row, reach)[: len(head)], text(row.remark)) for row in rows]
    return [f"<h2>{TITLES[measure]}</h2>", *table(head, body)]


def line(verdict: Verdict, row: Row, reach: float) -> list[str]:
    """One row's cells."""
    side = [text(row.side)] if len(verdict.sides) > 2 else []
    return [
        f'<span class="{tone(row.verdict)}">{text(row.verdict)}</span>',
        text(row.name),
        *side,
        *(f'<span class="number">{text(value)}</span>' for value in row.values),
        f'<span class="number">{text(row.change)}</span>',
        drawing(row, reach),
    ]


def table(head: Sequence[str], rows: Iterable[tuple[Sequence[str], str]]) -> list[str]:
    """A table of cells that are HTML; a remark has a line of its own below its row."""
    top = "".join(f"<th>{text(each)}</th>" for each in head)
    lines = [f'<div class="table"><table><thead><tr>{top}</tr></thead><tbody>']
    for row, remark in rows:
        lines.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>")
        if remark:
            lines.append(f'<tr class="remark"><td></td><td colspan="{len(head) - 1}">{remark}</td></tr>')
    return [*lines, "</tbody></table></div>"]


def axis(rows: Iterable[Row]) -> float:
    """The largest ratio that a table's drawings show: the next step beyond all ratios."""
    far = [max(one, 1 / one) for row in rows if row.decision and not row.negligible and (one := row.decision.ratio)]
    return next((step for step in AXES if step > max(far, default=1.0)), AXES[-1])


def drawing(row: Row, reach: float) -> str:
    """A ratio and its interval on a logarithmic axis, with a line at 1; cut off at the ends of the axis."""
    one = row.decision
    if one is None or one.low is None or row.negligible:
        return ""

    def place(ratio: float) -> float:
        share = math.log(min(max(ratio, 1 / reach), reach)) / math.log(reach)
        return round((share + 1) / 2 * (WIDTH - 8) + 4, 1)

    colour = {"worse": "#b3261e", "better": "#1b6e3c", "unclear": "#8a5a00"}.get(tone(row.verdict), "#444")
    middle = HEIGHT / 2
    return (
        f'<svg width="{WIDTH}" height="{HEIGHT}" role="img"><title>{text(row.change)}; axis to ×{reach:g}</title>'
        f'<line x1="{place(1)}" x2="{place(1)}" y1="0" y2="{HEIGHT}" stroke="#bbb"/>'
        f'<line x1="{place(one.low)}" x2="{place(one.high)}" y1="{middle}" y2="{middle}" stroke="{colour}" '
        f'stroke-width="3"/><circle cx="{place(one.ratio)}" cy="{middle}" r="4" fill="{colour}"/></svg>'
    )


def environments(verdict: Verdict) -> list[str]:
    """The packages of all sides, those that differ first."""
    names = sorted({name for one in verdict.sides for name in one.packages}, key=str.lower)
    rows = [["Python", *(one.version for one in verdict.sides)]]
    rows += [[name, *(one.packages.get(name, "") for one in verdict.sides)] for name in names]
    variables = sorted({name for one in verdict.sides for name, _ in one.side.variables})
    rows += [[name, *(dict(one.side.variables).get(name, "") for one in verdict.sides)] for name in variables]
    head = ["", *(one.label for one in verdict.sides)]
    unlike = [(list(map(text, row)), "") for row in rows if len(set(row[1:])) > 1]
    alike = [(list(map(text, row)), "") for row in rows if len(set(row[1:])) == 1]
    folded = [f"<details><summary>{len(alike)} the same on all sides</summary>", *table(head, alike), "</details>"]
    return ["<h2>Packages and variables</h2>", *(table(head, unlike) if unlike else []), *(folded if alike else [])]
