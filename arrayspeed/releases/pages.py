"""A page for each release that was compared, and a summary of all, in Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from arrayspeed.decide.words import SAME
from arrayspeed.formats.verdicts import markdown_table, markdown_text
from arrayspeed.releases.found import Found

HEADINGS = ("verdict", "of", "old", "new", "new/old (95 % interval)", "rounds", "")


def page(
    entry: Mapping[str, Any],
    found: Sequence[Found],
    packages: Mapping[str, Sequence[str | None]],
    links: Mapping[str, str],
    bisected: str | None,
) -> str:
    """One release: what is worse or changed, the rest folded away, where it came from, and what changed with it."""
    lines = [f"# {markdown_text(entry['line'])}", ""]
    lines += [f"Released {entry['released'] or 'on an unknown day'}, compared {entry['said']}.", ""]
    listed = [one for one in found if one.verdict != SAME]
    if listed:
        lines += markdown_table(HEADINGS, map(cells, listed))
    if same := [one for one in found if one.verdict == SAME]:
        lines += ["<details>", f"<summary>{len(same)} the same</summary>", ""]
        lines += [*markdown_table(HEADINGS, map(cells, same)), "</details>", ""]
    if bisected:
        lines += ["## Which release", "", bisected, ""]
    changes = [f"{name} {old or 'absent'} → {new or 'absent'}" for name, (old, new) in packages.items()]
    lines += [f"Other packages that differ: {markdown_text(', '.join(changes)) or 'none'}.", ""]
    lines += [f"- {markdown_text(label)}: {markdown_text(url)}" for label, url in links.items()]
    return "\n".join(lines) + "\n"


def cells(one: Found) -> list[str]:
    """A comparison in words."""
    return [one.verdict, one.name, one.old, one.new, one.change, str(one.rounds or ""), one.detail]


def summary(every: Mapping[str, Mapping[str, Any]]) -> str:
    """Everything that was said, the newest first."""
    rows = [(entry["said"], key, entry) for key, one in every.items() for entry in one["history"]]
    newest_first = sorted(rows, key=lambda row: row[:2], reverse=True)
    lines = ["# Releases that were compared", ""]
    lines += [f"- {day} [{markdown_text(entry['line'])}]({entry['page']})" for day, _, entry in newest_first]
    for key, one in every.items():
        lines += [f"- {key}: {version} is left out: {markdown_text(why)}" for version, why in one["unusable"].items()]
    return "\n".join(lines) + "\n"
