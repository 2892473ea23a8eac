"""Explanations for people at a terminal, for a pull request, and for programs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

from rich.console import Group, RenderableType
from rich.text import Text

from arrayspeed.explain.compare import DIFFERS, NOT_SHOWN, SAME, Change, Explanation, status
from arrayspeed.explain.languages import LANGUAGES
from arrayspeed.formats.data import as_json as dump
from arrayspeed.formats.fitting import Fitting
from arrayspeed.formats.tables import markdown_table, markdown_text
from arrayspeed.model.text import printable
from arrayspeed.model.units import plural

#: Verdict -> how many of them are said to be so.
SAID = {
    DIFFERS: ("differs", "differ"),
    NOT_SHOWN: ("cannot be shown", "cannot be shown"),
    SAME: ("is the same", "are the same"),
}

ORDER = (DIFFERS, NOT_SHOWN, SAME)
STYLES = {DIFFERS: "bold yellow", NOT_SHOWN: "red", SAME: ""}
HEADINGS = ("program", "kernel", "size", "backend", "what differs, old → new")
OWN_HEADINGS = ("program", "function", "size", "shown as", "what differs, old → new")

#: Counts that are named in a row, and lines of a diff that are shown in markdown.
MOST, LINES = 4, 120


@dataclass(frozen=True)
class Report:
    """A library, its two versions, where their programs were made, what else differs, what was found, and what the
    columns of the table are called.
    """

    library: str
    old: str
    new: str
    machine: str
    others: dict[str, tuple[str | None, str | None]]
    found: Sequence[Explanation]
    headings: Sequence[str] = HEADINGS

    @property
    def status(self) -> int:
        """The exit status."""
        return status(self.found)

    @property
    def ordered(self) -> list[Explanation]:
        """What differs first."""
        return sorted(self.found, key=lambda item: ORDER.index(item.verdict))


def headline(report: Report) -> str:
    """Return the outcome in a sentence."""
    counts = Counter(one.verdict for one in report.found)
    said = ", ".join(f"{counts[word]} {SAID[word][counts[word] > 1]}" for word in ORDER if counts[word])
    return f"{report.library} {report.old} → {report.new}: of {plural(len(report.found), 'program')} {said}."


def count_text(change: Change) -> str:
    """One count that differs."""
    name, old, new = change
    return f"{name} {old:g} → {new:g}"


def difference(explanation: Explanation) -> str:
    """Return what differs, in a few words."""
    if explanation.verdict == NOT_SHOWN:
        return explanation.why
    if explanation.verdict == SAME:
        return ""
    changes = explanation.changes
    more = f" and {len(changes) - MOST} more" if len(changes) > MOST else ""
    return ", ".join(map(count_text, changes[:MOST])) + more or "the same counts, in other places or with other values"


def cells(explanation: Explanation) -> tuple[str, ...]:
    """Return a row."""
    size = "" if explanation.size is None else f"{explanation.size:,}"
    return explanation.verdict, explanation.kernel, size, explanation.backend, difference(explanation)


def notes(report: Report) -> list[str]:
    """Return what a reader must know."""
    lines = [
        f"Compared: {LANGUAGES[name].title}; names, places and addresses do not count. Not compared: "
        f"{LANGUAGES[name].beyond}."
        for name in dict.fromkeys(one.language for one in report.found if one.language in LANGUAGES)
    ]
    lines.append(f"Compiled on {printable(report.machine)}.")
    if report.others:
        others = ", ".join(
            f"{name} {old or 'absent'} → {new or 'absent'}" for name, (old, new) in report.others.items()
        )
        lines.append(f"Other packages that differ: {printable(others)}.")
    return lines


def title(explanation: Explanation) -> str:
    """Return what was compared."""
    return " ".join(
        filter(None, [explanation.kernel, f"{explanation.size:,}" if explanation.size else "", explanation.backend])
    )


def times_text(explanation: Explanation) -> list[str]:
    """Return where a call spends its time, by side; of a profile alone."""
    return [
        f"{side}: " + ", ".join(f"{share:.0%} {name}" for name, share in each)
        for side, each in zip(("old", "new"), explanation.times, strict=False)
    ]


def as_table(report: Report, diffs: bool = False) -> RenderableType:
    """For a terminal; ``diffs``: with all that differs, line by line."""
    ordered = report.ordered
    parts: list[RenderableType] = [Text(headline(report), style="bold")]
    styles = [STYLES[one.verdict] for one in ordered]
    parts.append(Fitting(report.headings, list(map(cells, ordered)), 4, styles, right=[2], prose=True))
    for one in ordered:
        if one.verdict == DIFFERS and (lines := [*times_text(one), *(one.diff if diffs else ())]):
            parts.append(Text(title(one), style="bold"))
            parts += [Text(printable(line), style=colour(line)) for line in lines]
    if not diffs and any(one.diff for one in ordered):
        parts.append(Text("--diff shows the lines that differ."))
    return Group(*parts, *(Text(line, style="dim") for line in notes(report)))


def colour(line: str) -> str:
    """Of a line of a diff."""
    return {"+": "green", "-": "red", "@": "cyan"}.get(line[:1], "")


def as_markdown(report: Report) -> str:
    """For a pull request: a table, and the diffs folded away."""
    lines = [f"**{markdown_text(headline(report))}**", "", *markdown_table(report.headings, map(cells, report.ordered))]
    for one in report.ordered:
        if one.verdict == DIFFERS:
            lines += ["<details>", f"<summary>{markdown_text(title(one))}</summary>", ""]
            lines += [f"{markdown_text(text)}  " for text in times_text(one)]
            lines += fenced(one.diff)
            lines += ["</details>", ""]
    return "\n".join([*lines, *(f"<sub>{markdown_text(line)}</sub>  " for line in notes(report))])


def fenced(diff: Iterable[str]) -> list[str]:
    """Lines of a diff as Markdown shows them as they are: the fence is longer than any in them."""
    every = list(diff)
    shown = [printable(line) for line in every[:LINES]]
    if len(every) > LINES:
        shown.append(f"… {len(every) - LINES} more lines")
    fence = "`" * (1 + max([2, *map(len, re.findall("`+", "\n".join(shown)))]))
    return ["", f"{fence}diff", *shown, fence, ""]


def as_json(report: Report) -> str:
    """For programs: everything."""
    data = {
        "library": report.library,
        "old": report.old,
        "new": report.new,
        "machine": report.machine,
        "other_packages": {name: {"old": old, "new": new} for name, (old, new) in report.others.items()},
        "conclusion": headline(report),
        "programs": [asdict(one) for one in report.ordered],
        "exit_status": report.status,
    }
    return dump(data)
