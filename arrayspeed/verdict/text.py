"""A verdict at a terminal and in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.measure import Measurement
from rich.padding import Padding
from rich.text import Text

from arrayspeed.decide.words import ALIKE
from arrayspeed.formats.fitting import WIDE, Fitting
from arrayspeed.formats.tables import markdown_table, markdown_text, table
from arrayspeed.formats.verdicts import interval_text, style, upwards
from arrayspeed.model.text import printable
from arrayspeed.verdict.rows import Row
from arrayspeed.verdict.verdict import Average, Verdict

#: What the two sides are called in a table, which a legend explains.
OLD, NEW = "old", "new"


def headings(verdict: Verdict) -> list[str]:
    """Return a table's headings, with a column of backends where there are some, and one of sides beyond two."""
    sides = [OLD, NEW] if len(verdict.sides) == 2 else ["side", "first", "this side"]
    items = ["kernel", "backend"] if backends(verdict) else ["function"]
    return ["verdict", "of", *items, *sides, "ratio (95 % interval)", "at most", "rounds"]


def backends(verdict: Verdict) -> bool:
    """Return whether rows tell backends apart."""
    return any(row.backend for row in verdict.rows)


def cells(verdict: Verdict, row: Row) -> list[str]:
    """Return one comparison in words."""
    backend = [row.backend] if backends(verdict) else []
    side = [row.side] if len(verdict.sides) > 2 else []
    rounds = str(row.decision.rounds) if row.decision else ""
    return [row.verdict, row.quantity.title, row.item, *backend, *side, *row.values, row.change, most(row), rounds]


def most(row: Row) -> str:
    """Return the bound of a row; "" where it has none, or where the value below which all are alike stands for one."""
    return "" if row.most is None or row.lifted else f"×{upwards(row.most)}"


def legend(verdict: Verdict) -> str:
    """Return what the sides of a table are."""
    if len(verdict.sides) > 2:
        return f"First: {verdict.sides[0].label}."
    old, new = (side.label or "as it is" for side in verdict.sides)
    return f"{OLD}: {old}; {NEW}: {new}"


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
    head = ["of", "family", *side, "comparisons", "geometric mean (95 %)", "rounds"]
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


def counted(rows: Sequence[Row]) -> str:
    """Return how many rows show that nothing changed."""
    parts = []
    for word in ALIKE:
        if found := [row for row in rows if row.verdict == word]:
            bounds = [row.most for row in found if row.most is not None and not row.lifted]
            said = f" (at most ×{upwards(max(bounds))})" if bounds and word != ALIKE[-1] else ""
            parts.append(f"{len(found)} {word}{said}")
    return ", ".join(parts)


@dataclass(frozen=True)
class Rows:
    """A table where it is narrow enough for the terminal; else each row as a few lines, none of which breaks a word."""

    verdict: Verdict
    rows: Sequence[Row]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw it."""
        head = headings(self.verdict)
        every = [cells(self.verdict, row) for row in self.rows]
        styles = [style(row.verdict) for row in self.rows]
        for narrower in (head, head[:-1]):
            whole = table(narrower, [each[: len(narrower)] for each in every], styles, right=[len(head) - 1])
            if Measurement.get(console, options.update(max_width=WIDE), whole).maximum <= options.max_width:
                yield whole
                return
        places = len(head) - 5 if len(self.verdict.sides) == 2 else len(head) - 6
        yield Text("")
        for each, look in zip(every, styles, strict=True):
            word, quantity, *items = each[:places]
            yield Text(printable(f"{word}: {quantity} of {' '.join(items)}"), style=look)
            *side, old, new, change, bound, _ = each[places:]
            figures = [*side, f"{old} → {new}" if old or new else "", change, f"at most {bound}" if bound else ""]
            yield Padding(Text(printable("  ".join(filter(None, figures)))), (0, 0, 0, 2))
        yield Text("")


def as_table(verdict: Verdict, every: bool = False) -> RenderableType:
    """Show a verdict at a terminal, the worst first; what is the same or negligible is counted, unless ``every`` row is
    asked for.
    """
    rows = [*verdict.listed, *(verdict.alike if every else [])]
    parts: list[RenderableType] = [Text(printable(verdict.title)), Text(printable(verdict.outcome), style="bold")]
    parts += [Text(printable(one.text), style="bold") for one in verdict.best or ()]
    if rows:
        parts += [Rows(verdict, rows), Text(printable(legend(verdict)))]
    if verdict.alike and not every:
        parts.append(Text(printable(f"{counted(verdict.alike)}; --all shows them")))
    head, means = of_averages(verdict)
    if means:
        parts.append(Fitting(head, means, len(head) - 3, right=[len(head) - 3, len(head) - 1]))
    parts += [Text(printable(line)) for line in remarks(verdict, rows)]
    return Group(*parts, *(Text(printable(line), style="dim") for line in verdict.notes))


def as_markdown(verdict: Verdict) -> str:
    """Show a verdict in a pull request: what is worse, changed or unclear; the rest folded away."""
    lines = [f"**{markdown_text(verdict.outcome)}**", "", markdown_text(verdict.title), ""]
    lines += [f"{markdown_text(one.text)}  " for one in verdict.best or ()] + [""]
    if rows := verdict.listed:
        lines += markdown_rows(verdict, rows)
        lines += [*(f"- {markdown_text(line)}" for line in remarks(verdict, rows)), ""]
    head, means = of_averages(verdict)
    if means:
        lines += markdown_table(head, means)
    if rows := verdict.alike:
        lines += ["<details>", f"<summary>{counted(rows)}</summary>", ""]
        lines += [*markdown_rows(verdict, rows), "</details>", ""]
    return "\n".join([*lines, *(f"<sub>{markdown_text(line)}</sub>  " for line in [legend(verdict), *verdict.notes])])


def markdown_rows(verdict: Verdict, rows: Iterable[Row]) -> list[str]:
    """Return a table of rows."""
    return markdown_table(headings(verdict), [cells(verdict, row) for row in rows])
