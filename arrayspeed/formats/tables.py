"""Tables for a terminal and in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich import box
from rich.table import Table
from rich.text import Text

from arrayspeed.model.text import printable


def table(
    headings: Sequence[str], rows: Iterable[Sequence[str]], styles: Iterable[str], right: Iterable[int] = ()
) -> Table:
    """Return a table for a terminal; ``right``: the places of columns of numbers."""
    made = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    aligned = set(right)
    for place, heading in enumerate(headings):
        made.add_column(heading, overflow="fold", justify="right" if place in aligned else "left")
    for row, look in zip(rows, styles, strict=True):
        made.add_row(*(Text(printable(cell)) for cell in row), style=look)
    return made


def markdown_table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Lines of a table for a pull request, with an empty one after it."""
    body = [headings, ["---"] * len(headings), *rows]
    return [*("| " + " | ".join(map(markdown_text, row)) + " |" for row in body), ""]


def markdown_text(text: str) -> str:
    """Foreign text in Markdown: it neither ends a cell nor starts a tag."""
    return printable(text).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").replace(">", "&gt;")
