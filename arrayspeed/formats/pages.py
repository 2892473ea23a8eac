"""Pages that are one file each: no script, nothing fetched, light and dark. The report has the same style."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path

from arrayspeed.model.text import printable

#: The style that the report's own begins with.
STYLE = Path(__file__).with_name("page.css").read_text(encoding="utf-8")

#: A page asks for nothing, not even for an icon.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"

#: Width and height of an interval's drawing, and the largest ratio on its axis, in steps.
WIDTH, HEIGHT, AXES = 220, 18, (1.2, 1.5, 2, 4, 10, 100, 1e4, 1e8)

#: What the links of a page begin with.
LINKS = "<nav><ul>"


def document(title: str, body: Iterable[str], links: Mapping[str, str] | None = None) -> str:
    """Return a page.

    Parameters
    ----------
    title
        Its title, as plain text.
    body
        Lines of HTML, with the heading.
    links
        Other pages that belong to it: what they are called, and where they are.
    """
    there = "".join(f"<li>{link(name, place)}</li>" for name, place in (links or {}).items())
    nav = f"{LINKS}{there}</ul></nav>" if there else ""
    return "\n".join(
        [
            "<!doctype html>",
            f'<html lang="en"><head><meta charset="utf-8"><title>{text(title)}</title>',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}"><link rel="icon" href="data:,">',
            f"<style>{STYLE}</style></head><body>",
            f'<header><p class="project">arrayspeed</p>{nav}</header>',
            '<main class="alone">',
            *body,
            "</main></body></html>\n",
        ]
    )


def text(value: object) -> str:
    """Foreign text in HTML."""
    return escape(printable(str(value)))


def toned(value: object, tone: str) -> str:
    """Return a word in the colour of ``bad``, ``good``, ``open``, or in none."""
    return f'<span class="{tone}">{text(value)}</span>'


def number(value: object) -> str:
    """Return a number with its unit or its interval, which stays on one line."""
    return f'<span class="number">{text(value)}</span>'


def link(label: str, place: str) -> str:
    """Return a link; what is neither an address of the web nor a place beside the page is text alone."""
    scheme = place.partition(":")[0] if ":" in place else ""
    return f'<a href="{text(place)}">{text(label)}</a>' if scheme in ("", "http", "https") else text(label)


def table(head: Sequence[str], rows: Iterable[tuple[Sequence[str], str]]) -> list[str]:
    """Return a table of cells that are HTML; a remark has a line of its own below its row. On a narrow screen each cell
    has a line, with its heading.
    """
    head = [text(each) for each in head]
    top = "".join(f"<th>{each}</th>" for each in head)
    lines = [f'<div class="scroll"><table><thead><tr>{top}</tr></thead><tbody>']
    for row, remark in rows:
        lines.append(
            "<tr>" + "".join(f'<td data-of="{of}">{cell}</td>' for of, cell in zip(head, row, strict=True)) + "</tr>"
        )
        if remark:
            lines.append(f'<tr class="remark"><td></td><td colspan="{len(head) - 1}">{remark}</td></tr>')
    return [*lines, "</tbody></table></div>"]


def folded(summary: str, lines: Iterable[str]) -> list[str]:
    """Return what few ask for."""
    return [f"<details><summary>{text(summary)}</summary>", *lines, "</details>"]


def axis(ratios: Iterable[float | None]) -> float:
    """Return the largest ratio that a table's drawings show: the next step beyond all ratios."""
    far = max((max(one, 1 / one) for one in ratios if one), default=1.0)
    return next((step for step in AXES if step > far), AXES[-1])


def drawing(ratio: float | None, low: float | None, high: float | None, reach: float, title: str, tone: str) -> str:
    """Return a ratio and its interval on a logarithmic axis, with a line at 1; cut off at the ends of the axis."""
    if ratio is None or low is None or high is None:
        return ""

    def place(value: float) -> float:
        share = math.log(min(max(value, 1 / reach), reach)) / math.log(reach)
        return round((share + 1) / 2 * (WIDTH - 8) + 4, 1)

    middle = HEIGHT / 2
    return (
        f'<svg class="{tone}" width="{WIDTH}" height="{HEIGHT}" role="img"><title>{text(title)}; axis to ×{reach:g}'
        f'</title><line x1="{place(1)}" x2="{place(1)}" y1="0" y2="{HEIGHT}" stroke="var(--faint)" opacity=".5"/>'
        f'<line x1="{place(low)}" x2="{place(high)}" y1="{middle}" y2="{middle}" stroke="currentColor" '
        f'stroke-width="3"/><circle cx="{place(ratio)}" cy="{middle}" r="4" fill="currentColor"/></svg>'
    )
