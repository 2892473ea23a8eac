"""A verdict as a page that is one file: no script, nothing fetched."""

from __future__ import annotations

from arrayspeed.decide.words import FASTER, SIZES, UNCLEAR, WORKS, WORSE
from arrayspeed.formats.pages import axis, document, drawing, folded, number, table, text, toned
from arrayspeed.own.best import sentences
from arrayspeed.own.measures import MEASURES, RESULT, RETAINED, TIME
from arrayspeed.own.notes import name
from arrayspeed.own.verdict import DIFFERS, Row, Verdict

TITLES = {
    TIME: "Time of a call",
    RETAINED: "Time of a call where the process retains freed memory",
    "first_call": "First call",
    "memory": "Memory at the peak of a call",
    "kept": "Memory that every call keeps",
    "resident": "Growth of the process's own memory with every call",
    "import": "Import of the file",
    "metric": "Metric",
    RESULT: "Results",
}


def as_page(verdict: Verdict) -> str:
    """The page."""
    outcome = f"{verdict.outcome[:1].upper()}{verdict.outcome[1:]} Exit status {verdict.status}."
    body = [
        f"<h1>{text(verdict.title)}</h1>",
        f'<p class="status {("", "bad", "open")[verdict.status]}">{text(outcome)}</p>',
        *(f"<p>{text(line)}</p>" for line in sentences(verdict.best or {}, name)),
        *(line for measure in (*MEASURES, RESULT) for line in section(verdict, measure)),
        *environments(verdict),
        "<h2>How it was decided</h2>",
        *(f"<p>{text(note)}</p>" for note in verdict.notes),
    ]
    return document(verdict.title, body)


def tone(verdict: str) -> str:
    """The class of a word."""
    if verdict in WORSE or verdict == DIFFERS:
        return "bad"
    if verdict == UNCLEAR:
        return "open"
    return "good" if verdict in (FASTER, SIZES.less, WORKS) else ""


def section(verdict: Verdict, measure: str) -> list[str]:
    """One measure: a table, the worst rows first."""
    rows = [row for row in (*verdict.listed, *verdict.same) if row.measure == measure]
    if not rows:
        return []
    several = len(verdict.sides) > 2
    old, new = verdict.sides[0].label, verdict.sides[1].label
    names = ["side", old, "this side"] if several else [old, new]
    reach = axis(row.decision.ratio for row in rows if row.decision and not row.negligible)
    pictured = [] if measure == RESULT else [f"drawn from ×{1 / reach:.3g} to ×{reach:g}"]
    head = ["verdict", "function", *names, "ratio (95 % interval)" if pictured else "largest difference", *pictured]
    body = [(line(verdict, row, reach)[: len(head)], text(row.remark)) for row in rows]
    return [f"<h2>{TITLES[measure]}</h2>", *table(head, body)]


def line(verdict: Verdict, row: Row, reach: float) -> list[str]:
    """One row's cells."""
    side = [text(row.side)] if len(verdict.sides) > 2 else []
    return [
        toned(row.verdict, tone(row.verdict)),
        text(row.name),
        *side,
        *map(number, row.values),
        number(row.change),
        drawn(row, reach),
    ]


def drawn(row: Row, reach: float) -> str:
    """A row's ratio as a picture."""
    one = row.decision
    if one is None or row.negligible:
        return ""
    return drawing(one.ratio, one.low, one.high, reach, row.change, tone(row.verdict))


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
    rest = folded(f"{len(alike)} the same on all sides", table(head, alike)) if alike else []
    return ["<h2>Packages and variables</h2>", *(table(head, unlike) if unlike else []), *rest]
