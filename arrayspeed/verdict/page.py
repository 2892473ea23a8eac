"""A verdict as a page that is one file: no script, nothing fetched."""

from __future__ import annotations

from collections.abc import Mapping

from arrayspeed.decide.words import ACCEPTED, FASTER, OPEN, SIZES, WORKS, WORSE
from arrayspeed.formats.pages import axis, document, drawing, folded, number, table, text, toned
from arrayspeed.verdict.rows import Quantity, Row
from arrayspeed.verdict.text import backends, counted, most, of_averages
from arrayspeed.verdict.verdict import RESULT, Verdict

#: Rows up to which what is the same is not folded away.
MANY = 40


def as_page(verdict: Verdict, links: Mapping[str, str] | None = None) -> str:
    """Return the page; ``links``: as of `arrayspeed.formats.pages.document`."""
    outcome = f"{verdict.outcome} Exit status {verdict.status}."
    quantities = {row.quantity.title: row.quantity for row in verdict.rows}
    body = [
        f"<h1>{text(verdict.title)}</h1>",
        f'<p class="status {("", "bad", "open")[verdict.status]}">{text(outcome)}</p>',
        *(f"<p>{text(one.text)}</p>" for one in verdict.best or ()),
        *(line for quantity in quantities.values() for line in section(verdict, quantity)),
        *averages(verdict),
        *environments(verdict),
        "<h2>How it was decided</h2>",
        *(f"<p>{text(note)}</p>" for note in verdict.notes),
    ]
    return document(verdict.title, body, links)


def tone(verdict: str) -> str:
    """Return the class of a word."""
    if verdict in WORSE:
        return "bad"
    if verdict in (*OPEN, ACCEPTED):
        return "open"
    return "good" if verdict in (FASTER, SIZES.less, WORKS) else ""


def section(verdict: Verdict, quantity: Quantity) -> list[str]:
    """Return the table of one quantity, the worst rows first; of many rows, those that are the same are folded away."""
    listed, same = (
        [row for row in rows if row.quantity.title == quantity.title] for rows in (verdict.listed, verdict.alike)
    )
    reach = axis(row.decision.ratio for row in (*listed, *same) if row.decision and not row.negligible)
    several = len(verdict.sides) > 2
    old, new = verdict.sides[0].label, verdict.sides[1].label
    names = ["side", old, "this side"] if several else [old, new]
    pictured = [] if quantity.name == RESULT else [f"drawn from ×{1 / reach:.3g} to ×{reach:g}"]
    items = ["kernel", "backend"] if backends(verdict) else ["function"]
    change = "ratio (95 % interval)" if pictured else "largest difference"
    bound = ["at most"] if pictured else []
    head = ["verdict", *items, *names, change, *bound, *pictured]

    def lines(rows: list[Row]) -> list[str]:
        return table(head, [(line(verdict, row, reach)[: len(head)], text(row.remark)) for row in rows])

    if len(verdict.rows) <= MANY:  # a page has room
        return [f"<h2>{text(quantity.heading)}</h2>", *lines([*listed, *same])]
    rest = folded(counted(same), lines(same)) if same else []
    return [f"<h2>{text(quantity.heading)}</h2>", *(lines(listed) if listed else []), *rest]


def line(verdict: Verdict, row: Row, reach: float) -> list[str]:
    """Return one row's cells."""
    backend = [text(row.backend)] if backends(verdict) else []
    side = [text(row.side)] if len(verdict.sides) > 2 else []
    return [
        toned(row.verdict, tone(row.verdict)),
        text(row.item),
        *backend,
        *side,
        *map(number, row.values),
        number(row.change),
        number(most(row)),
        drawn(row, reach),
    ]


def drawn(row: Row, reach: float) -> str:
    """Return a row's ratio as a picture."""
    one = row.decision
    if one is None or row.negligible:
        return ""
    return drawing(one.ratio, one.low, one.high, reach, row.change, tone(row.verdict))


def averages(verdict: Verdict) -> list[str]:
    """Return the table of geometric means."""
    head, rows = of_averages(verdict)
    return ["<h2>Geometric means</h2>", *table(head, [(list(map(text, row)), "") for row in rows])] if rows else []


def environments(verdict: Verdict) -> list[str]:
    """Return the packages of all sides, those that differ first."""
    names = sorted({name for side in verdict.sides for name in side.packages}, key=str.lower)
    rows = [["Python", *(side.python for side in verdict.sides)]]
    rows += [[name, *(side.packages.get(name, "") for side in verdict.sides)] for name in names]
    variables = sorted({name for side in verdict.sides for name in side.variables})
    rows += [[name, *(side.variables.get(name, "") for side in verdict.sides)] for name in variables]
    head = ["", *(side.label for side in verdict.sides)]
    unlike = [(list(map(text, row)), "") for row in rows if len(set(row[1:])) > 1]
    alike = [(list(map(text, row)), "") for row in rows if len(set(row[1:])) == 1]
    rest = folded(f"{len(alike)} the same on all sides", table(head, alike)) if alike else []
    return ["<h2>Packages and variables</h2>", *(table(head, unlike) if unlike else []), *rest]
