"""A page for each release that was compared, and one of all, the newest first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from arrayspeed.decide.words import ALIKE
from arrayspeed.formats.pages import axis, document, drawing, folded, link, number, table, text, toned
from arrayspeed.releases import outcome
from arrayspeed.subjects.found import Found
from arrayspeed.verdict.page import tone

TITLE = "Releases that were compared"

#: Exit status -> the class of what it means.
TONES = {0: "", 1: "bad", 2: "open"}


def page(
    entry: Mapping[str, Any],
    given: Sequence[Found],
    packages: Mapping[str, Sequence[str | None]],
    links: Mapping[str, str],
    bisected: Mapping[str, Any] | None,
) -> str:
    """One release: what is worse or changed, the rest folded away, where it came from, and what changed with it."""
    listed = [one for one in given if one.verdict not in ALIKE]
    same = [one for one in given if one.verdict in ALIKE]
    changes = [[name, old or "absent", new or "absent"] for name, (old, new) in packages.items()]
    body = [
        f"<h1>{text(entry['name'])} {text(entry['against'])} → {text(entry['version'])}</h1>",
        f'<p class="lead">Released {text(entry["released"] or "on an unknown day")}, compared {text(entry["said"])}.'
        "</p>",
        f'<p class="status {TONES[entry["status"]]}">{text(entry["line"])}</p>',
        *(comparisons(listed) if listed else ()),
        *(folded(f"{len(same)} the same or negligible", comparisons(same)) if same else ()),
        *(search(bisected) if bisected else ()),
        "<h2>Other packages that differ</h2>",
        *(table(["", entry["against"], entry["version"]], plain(changes)) if changes else ["<p>None.</p>"]),
    ]
    if links:
        body += ["<h2>Of the project</h2>", f"<p>{', '.join(link(*one) for one in links.items())}</p>"]
    return document(f"{entry['name']} {entry['version']}", body, {"New releases": "../watch.html"})


def comparisons(given: Sequence[Found]) -> list[str]:
    """Return a table with a drawing of each interval."""
    reach = axis(one.ratio for one in given)
    head = ["verdict", "of", "old", "new", "new/old (95 % interval)", f"drawn from ×{1 / reach:.3g} to ×{reach:g}"]
    return table([*head, "rounds"], ((cells(one, reach), text(one.detail)) for one in given))


def cells(comparison: Found, reach: float) -> list[str]:
    """Return a comparison."""
    colour = tone(comparison.verdict)
    picture = drawing(comparison.ratio, comparison.low, comparison.high, reach, comparison.change, colour)
    values = [number(each) for each in (comparison.old, comparison.new, comparison.change)]
    return [toned(comparison.verdict, colour), text(comparison.name), *values, picture, str(comparison.rounds or "")]


def search(said: Mapping[str, Any]) -> list[str]:
    """Return which release it was, as `arrayspeed.releases.outcome.in_words` says it."""
    return [
        "<h2>Which release</h2>",
        f"<p>{text(said['headline'])}</p>",
        *(table(outcome.HEADINGS, plain(said["rows"])) if said["rows"] else ()),
        *(numbered(outcome.STEPS, said["steps"]) if said["steps"] else ()),
        *(f'<p class="note">{text(each)}</p>' for each in said["notes"]),
    ]


def numbered(title: str, lines: Sequence[str]) -> list[str]:
    """Return a list in an order, below what it is of."""
    return [f"<p>{text(title)}</p>", "<ol>", *(f"<li>{text(each)}</li>" for each in lines), "</ol>"]


def plain(rows: Sequence[Sequence[str]]) -> list[tuple[list[str], str]]:
    """Rows of plain text."""
    return [([text(each) for each in row], "") for row in rows]


def summary(every: Mapping[str, Mapping[str, Any]]) -> str:
    """Return everything that was said, the newest first."""
    entries = [(entry["said"], key, entry) for key, one in every.items() for entry in one["history"]]
    newest_first = sorted(entries, key=lambda row: row[:2], reverse=True)
    head = ["compared", "package", "releases", "released", "outcome"]
    rows = [
        (of_entry(day, key, entry), "<br>".join(map(text, entry.get("worst", ())))) for day, key, entry in newest_first
    ]
    left_out = [[key, version, why] for key, one in every.items() for version, why in one["unusable"].items()]
    body = [f"<h1>{TITLE}</h1>", *table(head, rows)]
    if left_out:
        body += ["<h2>Left out</h2>", *table(["package", "release", "why"], plain(left_out))]
    return document(TITLE, body, {"New releases": "watch.html"})


def of_entry(day: str, key: str, entry: Mapping[str, Any]) -> list[str]:
    """Return a release in the list of all."""
    title = f"{entry['against']} → {entry['version']}"
    rest = entry["line"].partition(": ")[2]
    known = [text(day), text(key), link(title, entry["page"]), text(entry["released"] or "")]
    return [*known, toned(rest, TONES[entry["status"]])]
