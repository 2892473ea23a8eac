"""What an upgrade changes, for people at a terminal, for a pull request, and for programs."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from arrayspeed.decide import UNCLEAR_SHARE
from arrayspeed.decide.means import Mean, geometric_mean
from arrayspeed.decide.observed import Value
from arrayspeed.decide.words import SAME, UNCLEAR, exit_status
from arrayspeed.formats.verdicts import (
    STATES,
    conclusion,
    decision_data,
    failures_text,
    faults_text,
    interval_text,
    markdown_table,
    order,
    ratio_text,
    report_data,
    style,
    table,
)
from arrayspeed.model.measures import MEASURES, measure_of
from arrayspeed.model.text import printable
from arrayspeed.model.units import human
from arrayspeed.records.processes import Process, page_faults
from arrayspeed.upgrade.compare import Row
from kernels import CATALOGUE


@dataclass(frozen=True)
class Upgrade:
    """A library, its two versions, where they were compared, and what else differs between the environments."""

    library: str
    old: str
    new: str
    machine: str
    factor: float
    others: dict[str, tuple[str | None, str | None]]
    rows: list[Row]
    unclear_share: float = UNCLEAR_SHARE

    @property
    def status(self) -> int:
        """The exit status."""
        return exit_status([row.verdict for row in self.rows], self.unclear_share)


def headline(upgrade: Upgrade) -> str:
    """The verdict in a sentence."""
    what = f"{upgrade.library} {upgrade.old} → {upgrade.new}"
    decisions = [row.decision for row in upgrade.rows]
    return f"{what}: {conclusion(decisions, upgrade.unclear_share)}"


def listed(rows: Iterable[Row]) -> list[Row]:
    """What is shown one by one: everything but what is the same and never failed; the worst first."""
    return sorted(
        (row for row in rows if row.verdict != SAME or failures_text(row.decision)), key=lambda row: order(row.decision)
    )


def means(rows: Iterable[Row]) -> list[tuple[str, str, Mean]]:
    """Subject, family or "all", and the geometric mean of the ratios with its interval."""
    groups = defaultdict(list)
    for row in rows:
        if not measure_of(row.one.measure).exact:
            if row.state:
                continue
            groups[row.one.measure, "all"].append(row.observed)
            groups[row.one.measure, row.one.family].append(row.observed)
    found = []
    for measure in MEASURES.values():
        families = sorted({family for name, family in groups if name == measure.name} - {"all"})
        for family in ("all", *families) if len(families) > 1 else ("all",) if families else ():
            if mean := geometric_mean(groups[measure.name, family]):
                found.append((measure.short, family, mean))
    return found


def name_of(row: Row) -> str:
    """A comparison's name, as programs read it."""
    one = row.one
    place = [part for part in (one.backend, None if one.size is None else f"{one.size}", one.device) if part]
    return f"{one.benchmark}({', '.join(place)})" + (f" {row.state}" if row.state else "")


def cells(row: Row) -> tuple[str, ...]:
    """A row in words: what, where, old, new, ratio with its interval, rounds and failures."""
    one = row.one
    what = f"{one.kernel} {one.size:,}" if one.size is not None else one.kernel
    old, new = (human(value(row, side), one.measure) for side in (row.observed.reference, row.observed.subject))
    failures = failures_text(row.decision) and f"failed: {failures_text(row.decision)}"
    faults = "" if row.verdict == UNCLEAR else faults_text(page_faults(row.old), page_faults(row.new))
    return (
        row.verdict,
        ", ".join(filter(None, (measure_of(one.measure).short, row.state))),
        what,
        one.backend,
        old,
        new,
        ratio_text(row.decision),
        str(row.decision.rounds),
        "; ".join(filter(None, (failures, faults))),
    )


def value(row: Row, side: Mapping[Hashable, Value]) -> float | None:
    """Geometric mean of the processes of a side."""
    return row.observed.middle(side)


HEADINGS = ("verdict", "measure", "kernel", "backend", "old", "new", "new/old (95 % interval)", "rounds", "")
MEANS = ("measure", "family", "comparisons", "geometric mean of new/old (95 % interval)", "rounds")


def notes(upgrade: Upgrade) -> list[str]:
    """What a reader must know about the numbers."""
    lines = [
        f"Ratios are {upgrade.new} over {upgrade.old}, and less is better. Measured on {printable(upgrade.machine)}.",
        f"Changed or same is stated only where the ratio is shown to be beyond ×{upgrade.factor:g} or "
        "within it (for errors ×2, for memory also 1 MiB, for what every call keeps also 64 B); at most 5 % of such "
        "statements are wrong.",
    ]
    kernels = {row.one.kernel for row in upgrade.rows} & CATALOGUE.keys()
    if kernels and len(kernels) < len(CATALOGUE):
        lines.append(f"{len(kernels)} of {len(CATALOGUE)} kernels were compared; --tier full selects all.")
    if any(row.state for row in upgrade.rows):
        lines.append(STATES)
    if any(row.verdict == UNCLEAR for row in upgrade.rows):
        lines.append(f"Unclear: neither a change by more than ×{upgrade.factor:g} nor the absence of one was shown.")
    if any(row.decision.low is not None and not row.decision.paired for row in upgrade.rows):
        lines.append(
            "Some processes share no round with the other side; they are compared unpaired, with all that differs "
            "between them."
        )
    if upgrade.others:
        others = ", ".join(
            f"{name} {old or 'absent'} → {new or 'absent'}" for name, (old, new) in upgrade.others.items()
        )
        lines.append(f"Other packages that differ: {printable(others)}.")
    return lines


def mean_cells(subject: str, family: str, mean: Mean) -> tuple[str, ...]:
    """A geometric mean in words."""
    if mean.low is None or mean.high is None:
        text = f"×{mean.ratio:.2f} (too few rounds)"
    else:
        text = interval_text(mean.ratio, mean.low, mean.high)
    return subject, family, str(mean.comparisons), text, str(mean.rounds)


def as_table(upgrade: Upgrade) -> RenderableType:
    """For a terminal."""
    parts: list[RenderableType] = [Text(headline(upgrade), style="bold")]
    if rows := listed(upgrade.rows):
        parts.append(table(HEADINGS, map(cells, rows), [style(row.verdict) for row in rows], right=[7]))
    if averages := means(upgrade.rows):
        bold = ["bold" if family == "all" else "" for _, family, _ in averages]
        parts.append(table(MEANS, [mean_cells(*one) for one in averages], bold, right=[2, 4]))
    return Group(*parts, *(Text(line, style="dim") for line in notes(upgrade)))


def as_markdown(upgrade: Upgrade) -> str:
    """For a pull request: what is worse, changed or unclear; the rest folded away."""
    lines = [f"**{headline(upgrade)}**", ""]
    if rows := listed(upgrade.rows):
        lines += markdown_table(HEADINGS, map(cells, rows))
    if averages := means(upgrade.rows):
        lines += markdown_table(MEANS, [mean_cells(*one) for one in averages])
    if same := [row for row in upgrade.rows if row not in rows]:
        lines += ["<details>", f"<summary>{len(same)} the same</summary>", ""]
        lines += [*markdown_table(HEADINGS, map(cells, same)), "</details>", ""]
    return "\n".join([*lines, *(f"<sub>{line}</sub>  " for line in notes(upgrade))])


def as_json(upgrade: Upgrade) -> str:
    """For programs: every comparison with every process."""
    data = {
        "library": upgrade.library,
        "old": upgrade.old,
        "new": upgrade.new,
        "machine": upgrade.machine,
        "factor": upgrade.factor,
        "conclusion": headline(upgrade),
        "other_packages": {name: {"old": old, "new": new} for name, (old, new) in upgrade.others.items()},
        "geometric_means": [
            {"of": subject, "family": family} | asdict(mean) for subject, family, mean in means(upgrade.rows)
        ],
        **report_data([row_data(row) for row in upgrade.rows], upgrade.unclear_share),
    }
    return json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False)


def row_data(row: Row) -> dict[str, Any]:
    """One comparison as plain data."""
    one = row.one
    return decision_data(name_of(row), row.decision) | {
        "benchmark": one.benchmark,
        "family": one.family,
        "kernel": one.kernel,
        "backend": one.backend,
        "size": one.size,
        "device": one.device,
        "measure": one.measure,
        "noise": row.decision.noise,
        "old": [process_data(process) for process in row.old],
        "new": [process_data(process) for process in row.new],
    }


def process_data(process: Process) -> dict[str, Any]:
    """One process: its round, its value, the batches that it is the median of, the page faults of a call, and why it
    failed.
    """
    return {
        "round": process.round,
        "value": process.value,
        "batches": process.batches,
        "page_faults": process.faults,
        "why": process.why,
    }
