"""Tables that fit the terminal: columns where there is room for them, and otherwise each row as a paragraph."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.measure import Measurement
from rich.padding import Padding
from rich.text import Text

from arrayspeed.formats.data import as_json
from arrayspeed.formats.tables import markdown_table, markdown_text, table
from arrayspeed.formats.terminal import console
from arrayspeed.model.text import printable

#: Wider than any terminal.
WIDE = 10_000

#: Characters of a line of prose, at least.
PROSE = 30


def fits(shown: RenderableType, on: Console, options: ConsoleOptions) -> bool:
    """Return whether a table needs no line to be broken."""
    return Measurement.get(on, options.update(max_width=WIDE), shown).maximum <= options.max_width


@dataclass(frozen=True)
class Fitting:
    """A table of texts.

    Attributes
    ----------
    headings, rows
        The cells, the names of a row first.
    names
        How many cells name a row.
    styles
        Of rows, by default none.
    right
        The places of columns of numbers.
    prose
        The last column is prose, whose lines may be broken.
    """

    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    names: int = 1
    styles: Sequence[str] = ()
    right: Iterable[int] = ()
    prose: bool = False

    def __rich_console__(self, on: Console, options: ConsoleOptions) -> RenderResult:
        """Draw it; a paragraph has the names of its row, and each other cell that is not empty after its heading."""
        styles = self.styles or [""] * len(self.rows)
        needed = [[*row[:-1], row[-1][:PROSE]] for row in self.rows] if self.prose else self.rows
        if fits(table(self.headings, needed, styles, self.right), on, options):
            yield table(self.headings, self.rows, styles, self.right)
            return
        yield Text("")
        for row, look in zip(self.rows, styles, strict=True):
            named = zip(self.headings[self.names :], row[self.names :], strict=True)
            yield Text(printable("  ".join(filter(None, row[: self.names]))), style=look or "bold")
            cells = "; ".join(f"{heading}: {cell}" if heading else cell for heading, cell in named if cell)
            if cells:
                yield Padding(Text(printable(cells)), (0, 0, 0, 4))
        yield Text("")


@dataclass(frozen=True)
class Shown:
    """What a command prints, in all forms: tables with a title and lines before and after them, and data."""

    tables: Sequence[Fitting]
    data: Mapping[str, Any]
    lines: Sequence[str] = ()
    title: str = ""
    before: Sequence[str] = ()


def show(shown: Shown, form: str, piped_width: int = 160) -> None:
    """Print it as a table, in Markdown or as JSON."""
    if form == "json":
        print(as_json(shown.data))
    elif form == "markdown":
        parts = [f"**{markdown_text(shown.title)}**", ""] if shown.title else []
        parts += [*(f"{markdown_text(line)}  " for line in shown.before), ""] if shown.before else []
        for each in shown.tables:
            parts += markdown_table(each.headings, each.rows)
        print("\n".join([*parts, *(f"{markdown_text(line)}  " for line in shown.lines)]))
    else:
        out = console(piped_width)
        for part in (shown.title, *shown.before, *shown.tables, *shown.lines):
            if part:
                out.print(Text(printable(part)) if isinstance(part, str) else part)
