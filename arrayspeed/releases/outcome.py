"""What a search found, for people and for programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from arrayspeed.formats.data import as_json as dump
from arrayspeed.formats.fitting import Fitting
from arrayspeed.formats.progress import clock
from arrayspeed.formats.tables import markdown_table, markdown_text
from arrayspeed.formats.verdicts import style
from arrayspeed.model.text import printable
from arrayspeed.model.units import plural
from arrayspeed.releases.bisect import Change, Outcome, Step
from arrayspeed.subjects.found import Found

HEADINGS = ("of", "verdict", "release", "new/old", "after/before", "before/old", "after/old")

STEPS = "Steps, each against the middle between the ends:"


def headline(outcome: Outcome) -> str:
    """Return the outcome in a sentence."""
    return f"{outcome.name} {outcome.old} → {outcome.new}: {conclusion(outcome)}"


def conclusion(outcome: Outcome) -> str:
    """Return the same, where it is known what was asked."""
    if outcome.stopped:
        return f"{outcome.stopped}; rerun the command to resume."
    if not outcome.changes:
        open_ = sum(one.open for one in outcome.ends)
        if outcome.status:
            return f"not decided: {open_} of {len(outcome.ends)} comparisons of the ends have no bound; no search."
        return "nothing worse between the ends; no search."
    named = list(dict.fromkeys(one.after for one in outcome.changes if one.named))
    rest = [one for one in outcome.changes if not one.named]
    said = [f"{outcome.name} {version} did it" for version in named]
    ranges = dict.fromkeys(f"after {one.before}, by {one.after}" for one in rest if one.searched)
    said += [f"narrowed to {each}" for each in ranges]
    if count := sum(not one.searched for one in rest):
        said.append(f"{count} more worse, not searched for")
    return f"{'; '.join(said)}."


def where(change: Change) -> str:
    """Return the release, or the releases that it may be."""
    if not change.searched:
        return "not searched for"
    if change.between:
        return f"one of {', '.join([*change.between, change.after])}"
    return change.after if change.confirmed else f"{change.after}, not confirmed"


def cells(change: Change) -> list[str]:
    """Return a change in words."""
    sides = [short(change.sides.get(key)) for key in ("step", "before", "after")]
    return [change.target.name, change.target.verdict, where(change), short(change.target), *sides]


def short(comparison: Found | None) -> str:
    """Return a ratio, or the word where there is none."""
    return "" if comparison is None else comparison.change or comparison.verdict


def notes(outcome: Outcome) -> list[str]:
    """Return what a reader must know."""
    lines = []
    for one in outcome.changes:
        lines.append(f"{one.target.text}.")
        if step := one.sides.get("step"):
            lines.append(f"  {one.before} → {one.after}: {step.text}.")
    for pair, packages in outcome.packages.items():
        said = ", ".join(f"{name} {old or 'absent'} → {new or 'absent'}" for name, (old, new) in packages.items())
        lines.append(f"Other packages that changed, {pair}: {said or 'none'}.")
    for links in outcome.links.values():
        lines += [f"{label}: {url}" for label, url in links.items()]
    if outcome.left_out:
        lines.append("Left out: " + ", ".join(f"{one} ({why})" for one, why in outcome.left_out.items()) + ".")
    lines += [f"Skipped: {step_text(step)}." for step in outcome.steps if step.why]
    lines.append(f"{plural(len(outcome.steps), 'step')}, {clock(outcome.seconds)}.")
    return lines


def step_text(step: Step) -> str:
    """Return a step in a line."""
    return f"{step.version}: {step.why or '; '.join(one.text for one in step.found) or 'nothing was measured'}"


def rows(outcome: Outcome) -> list[list[str]]:
    """Return the table."""
    return [cells(one) for one in outcome.changes]


def as_table(outcome: Outcome) -> RenderableType:
    """For a terminal."""
    parts: list[RenderableType] = [Text(printable(headline(outcome)), style="bold")]
    if outcome.changes:
        styles = [style(one.target.verdict) for one in outcome.changes]
        parts.append(Fitting(HEADINGS, rows(outcome), 2, styles))
    return Group(*parts, *(Text(printable(line), style="dim") for line in notes(outcome)))


def in_words(outcome: Outcome) -> dict[str, Any]:
    """Return what every page says of it: its texts, and a table of `HEADINGS`."""
    return {
        "headline": headline(outcome),
        "conclusion": conclusion(outcome),
        "rows": rows(outcome),
        "steps": [step_text(one) for one in outcome.steps],
        "notes": [line.strip() for line in notes(outcome)],
    }


def as_markdown(outcome: Outcome) -> str:
    """For an issue."""
    said = in_words(outcome)
    lines = [f"**{markdown_text(said['headline'])}**", ""]
    if said["rows"]:
        lines += markdown_table(HEADINGS, said["rows"])
    if said["steps"]:
        lines += [STEPS, "", *(f"{n}. {markdown_text(one)}" for n, one in enumerate(said["steps"], 1)), ""]
    return "\n".join([*lines, *(f"- {markdown_text(line)}" for line in said["notes"])])


def as_data(outcome: Outcome) -> dict[str, Any]:
    """As plain data."""
    return {
        "package": outcome.name,
        "old": outcome.old,
        "new": outcome.new,
        "conclusion": headline(outcome),
        "ends": found_data(outcome.ends),
        "changes": [
            {
                "of": one.target.name,
                "end": found_data([one.target])[0],
                "release": one.after if one.named else None,
                "before": one.before,
                "after": one.after,
                "between": list(one.between),
                "confirmed": one.confirmed,
                "searched": one.searched,
                "sides": {key: found_data([each])[0] for key, each in one.sides.items()},
            }
            for one in outcome.changes
        ],
        "steps": [
            {
                "release": one.version,
                "left_out": one.why or None,
                "found": found_data(one.found),
                "seconds": one.seconds,
            }
            for one in outcome.steps
        ],
        "left_out": dict(outcome.left_out),
        "packages": {key: {name: list(both) for name, both in rows.items()} for key, rows in outcome.packages.items()},
        "links": {key: dict(links) for key, links in outcome.links.items()},
        "minutes": outcome.seconds / 60,
        "stopped": outcome.stopped or None,
        "exit_status": outcome.status,
    }


def found_data(comparisons: Sequence[Found]) -> list[dict[str, Any]]:
    """Comparisons as plain data."""
    return [{**one.data(), "what": list(one.what)} for one in comparisons]


def as_json(outcome: Outcome) -> str:
    """For programs."""
    return dump(as_data(outcome))
