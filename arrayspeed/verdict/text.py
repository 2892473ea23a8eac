"""A verdict at a terminal and in Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from arrayspeed.formats.verdicts import interval_text, markdown_table, markdown_text, style, table
from arrayspeed.model.text import printable
from arrayspeed.verdict.rows import Row
from arrayspeed.verdict.verdict import Average, Verdict

#: Rows up to which a terminal shows what is the same, too.
MANY = 40


def headings(verdict: Verdict) -> list[str]:
    """Return a table's headings, with a column of backends where there are some, and one of sides beyond two."""
    old, new = verdict.sides[0].label, verdict.sides[1].label
    sides = [old, new] if len(verdict.sides) == 2 else ["side", old, "this side"]
    items = ["kernel", "backend"] if backends(verdict) else ["function"]
    return ["verdict", "of", *items, *sides, "ratio (95 % interval)", "rounds"]


def backends(verdict: Verdict) -> bool:
    """Return whether rows tell backends apart."""
    return any(row.backend for row in verdict.rows)


def cells(verdict: Verdict, row: Row) -> list[str]:
    """Return one comparison in words."""
    backend = [row.backend] if backends(verdict) else []
    side = [row.side] if len(verdict.sides) > 2 else []
    rounds = str(row.decision.rounds) if row.decision else ""
    return [row.verdict, row.quantity.title, row.item, *backend, *side, *row.values, row.change, rounds]


def remarks(verdict: Verdict, rows: Sequence[Row]) -> list[str]:
    """Return what there is to say of rows beside their figures."""
    lines = []
    for row in filter(lambda row: row.remark, rows):
        where = [row.backend, row.side if len(verdict.sides) > 2 else ""]
        place = f" ({', '.join(filter(None, where))})" if any(where) else ""
        lines.append(f"{row.item}, {row.quantity.title}{place}: {row.remark}")
    return lines


def of_averages(verdict: Verdict) -> tuple[list[str], list[list[str]]]:
    """Return the headings and the rows of geometric means."""
    several = len(verdict.sides) > 2
    side = ["side"] if several else []
    head = ["of", "family", *side, "comparisons", "geometric mean of ratios (95 % interval)", "rounds"]
    rows = []
    for one in verdict.averages:
        named = [one.side] if several else []
        rows.append([one.title, one.family, *named, str(one.mean.comparisons), mean_text(one), str(one.mean.rounds)])
    return head, rows


def mean_text(average: Average) -> str:
    """Return a geometric mean with its interval."""
    mean = average.mean
    if mean.low is None or mean.high is None:
        return f"×{mean.ratio:.2f} (too few rounds)"
    return interval_text(mean.ratio, mean.low, mean.high)


def as_table(verdict: Verdict) -> RenderableType:
    """Show a verdict at a terminal, the worst first; of many rows, those that are the same are counted alone."""
    rows = [*verdict.listed, *(verdict.same if len(verdict.rows) <= MANY else [])]
    parts: list[RenderableType] = [Text(printable(verdict.headline), style="bold")]
    parts += [Text(printable(one.text), style="bold") for one in verdict.best or ()]
    if rows:
        head = headings(verdict)
        styles = [style(row.verdict) for row in rows]
        parts.append(table(head, [cells(verdict, row) for row in rows], styles, right=[len(head) - 1]))
    head, means = of_averages(verdict)
    if means:
        parts.append(table(head, means, [""] * len(means), right=[len(head) - 3, len(head) - 1]))
    parts += [Text(printable(line)) for line in remarks(verdict, rows)]
    return Group(*parts, *(Text(printable(line), style="dim") for line in verdict.notes))


def as_markdown(verdict: Verdict) -> str:
    """Show a verdict in a pull request: what is worse, changed or unclear; the rest folded away."""
    lines = [f"**{markdown_text(verdict.headline)}**", ""]
    lines += [f"{markdown_text(one.text)}  " for one in verdict.best or ()] + [""]
    if rows := verdict.listed:
        lines += markdown_table(headings(verdict), [cells(verdict, row) for row in rows])
        lines += [*(f"- {markdown_text(line)}" for line in remarks(verdict, rows)), ""]
    head, means = of_averages(verdict)
    if means:
        lines += markdown_table(head, means)
    if rows := verdict.same:
        lines += ["<details>", f"<summary>{len(rows)} the same</summary>", ""]
        lines += [*markdown_table(headings(verdict), [cells(verdict, row) for row in rows]), "</details>", ""]
    return "\n".join([*lines, *(f"<sub>{markdown_text(line)}</sub>  " for line in verdict.notes)])
