"""What an upgrade changes, for people at a terminal, for a pull request, and for programs."""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import asdict, dataclass

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from arrayspeed.text import printable
from arrayspeed.units import human
from arrayspeed.upgrades.compare import (
    BROKEN,
    FAILING,
    FALSE_DISCOVERY,
    IMPROVEMENT,
    REGRESSION,
    UNCHANGED,
    UNCLEAR,
    UNSEEN,
    WORKING,
    Row,
    logarithms,
    status,
)
from arrayspeed.upgrades.significance import CONFIDENCE, geometric_mean

#: The verdicts that are listed one by one, the most important first.
LISTED = (FAILING, REGRESSION, WORKING, IMPROVEMENT, BROKEN)

STYLES = {REGRESSION: "red", FAILING: "bold red", IMPROVEMENT: "green", WORKING: "green", BROKEN: "yellow"}

#: What people call the measures.
SUBJECTS = {
    "time_call": "time",
    "track_first_call": "first call",
    "track_error": "error",
    "track_memory": "memory",
    "timeraw_import": "import",
}


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


def conclusion(upgrade: Upgrade) -> str:
    """The verdict in a sentence."""
    counts = Counter(row.verdict for row in upgrade.rows)
    what = f"{upgrade.library} {upgrade.old} → {upgrade.new}"
    found = [f"{counts[name]} {plural(name, counts[name])}" for name in LISTED if counts[name]]
    rest = f"{counts[UNCHANGED]} unchanged" + (f", {counts[UNCLEAR]} unclear" if counts[UNCLEAR] else "")
    judgement = {0: "no regression", 1: "regressions", 2: "not decided"}[status(upgrade.rows)]
    return f"{what}: {judgement}. " + "; ".join([*found, rest]) + f", of {len(upgrade.rows)} comparisons."


def plural(word: str, count: int) -> str:
    """A verdict's name for a number of them."""
    return word + "s" if count != 1 and word in (REGRESSION, IMPROVEMENT) else word


def listed(rows: Iterable[Row]) -> list[Row]:
    """What is shown one by one: failures first, then the largest changes."""

    def weight(row: Row) -> tuple[int, float]:
        return LISTED.index(row.verdict), -abs(math.log(row.estimate.ratio)) if row.estimate else 0.0

    return sorted((row for row in rows if row.verdict in LISTED), key=weight)


def means(rows: Iterable[Row]) -> list[tuple[str, str, int, tuple[float, float, float]]]:
    """Subject, family or "all", number of comparisons, and geometric mean of the ratios with its interval."""
    groups = defaultdict(list)
    for row in rows:
        if row.estimate and row.measure in SUBJECTS and row.measure != "track_error":
            groups[row.measure, "all"].append(row.estimate)
            groups[row.measure, row.family].append(row.estimate)
    found = []
    for measure, subject in SUBJECTS.items():
        families = sorted({family for name, family in groups if name == measure} - {"all"})
        for family in ("all", *families) if len(families) > 1 else ("all",) if families else ():
            ones = groups[measure, family]
            found.append((subject, family, len(ones), geometric_mean(ones)))
    return found


def cells(row: Row) -> tuple[str, ...]:
    """A row in words: what, where, old, new, ratio with its interval."""
    what = f"{row.kernel} {row.size:,}" if row.size is not None else row.kernel
    old, new = (human(row.value(side), row.measure) for side in (row.old, row.new))
    ratio = "" if row.estimate is None else f"{times(row.estimate.ratio)} ({interval(row.estimate)})"
    return row.verdict, SUBJECTS.get(row.measure, row.measure), what, row.backend, old, new, ratio


def times(ratio: float) -> str:
    """A ratio: ×1.25."""
    return f"×{ratio:.2f}" if ratio < 10 else f"×{ratio:.0f}"


def interval(estimate) -> str:
    """A confidence interval: 1.20 to 1.31."""
    return f"{estimate.low:.2f} to {estimate.high:.2f}"


HEADINGS = ("verdict", "of", "kernel", "backend", "old", "new", f"new/old ({CONFIDENCE:.0%} interval)")


def notes(upgrade: Upgrade) -> list[str]:
    """What a reader must know about the numbers."""
    counts = Counter(row.verdict for row in upgrade.rows)
    processes = sorted({len(logarithms(side, row.measure)) for row in upgrade.rows for side in (row.old, row.new)})
    lines = [
        f"Changed means: at least ×{upgrade.factor:g} (errors ×2), more than the noise between processes, and at most "
        f"{FALSE_DISCOVERY:.0%} of such reports false by chance.",
        f"Ratios are of new to old, less than 1 is better, from {' or '.join(map(str, processes))} processes of each "
        f"side, on {printable(upgrade.machine)}."
        if processes
        else "",
    ]
    if counts[UNCLEAR]:
        lines.append(f"Unclear: so noisy here that a slowdown of ×{max(UNSEEN, upgrade.factor):g} could hide in it.")
    if upgrade.others:
        others = ", ".join(
            f"{name} {old or 'absent'} → {new or 'absent'}" for name, (old, new) in upgrade.others.items()
        )
        lines.append(f"Other packages that differ: {printable(others)}.")
    return [line for line in lines if line]


def as_table(upgrade: Upgrade) -> RenderableType:
    """For a terminal."""
    parts: list[RenderableType] = [Text(conclusion(upgrade), style="bold")]
    if rows := listed(upgrade.rows):
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
        for heading in HEADINGS:
            table.add_column(heading, overflow="fold")
        for row in rows:
            table.add_row(*map(printable, cells(row)), style=STYLES[row.verdict])
        parts.append(table)
    summary = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for heading in ("of", "family", "comparisons", "geometric mean of new/old"):
        summary.add_column(heading, justify="right" if heading == "comparisons" else "left")
    for subject, family, count, mean in means(upgrade.rows):
        summary.add_row(subject, family, str(count), mean_text(mean), style="bold" if family == "all" else "")
    if summary.rows:
        parts.append(summary)
    return Group(*parts, *(Text(line, style="dim") for line in notes(upgrade)))


def mean_text(mean: tuple[float, float, float]) -> str:
    """A geometric mean with its interval."""
    return f"×{mean[0]:.3f} ({mean[1]:.3f} to {mean[2]:.3f})"


def as_markdown(upgrade: Upgrade) -> str:
    """For a pull request."""
    lines = [f"**{conclusion(upgrade)}**", ""]
    if rows := listed(upgrade.rows):
        lines += markdown_table(HEADINGS, map(cells, rows))
    if averages := means(upgrade.rows):
        headings = ("of", "family", "comparisons", "geometric mean of new/old")
        lines += markdown_table(headings, ((s, f, str(n), mean_text(mean)) for s, f, n, mean in averages))
    return "\n".join([*lines, *(f"<sub>{line}</sub>  " for line in notes(upgrade))])


def markdown_table(headings: Iterable[str], rows: Iterable[Iterable[str]]) -> list[str]:
    """Lines of a table, with an empty one after it."""
    headings = list(headings)
    body = [headings, ["---"] * len(headings), *rows]
    return [*("| " + " | ".join(printable(cell).replace("|", "\\|") for cell in row) + " |" for row in body), ""]


def as_json(upgrade: Upgrade) -> str:
    """For programs: every comparison with every process and its samples."""
    data = {
        "library": upgrade.library,
        "old": upgrade.old,
        "new": upgrade.new,
        "machine": upgrade.machine,
        "factor": upgrade.factor,
        "false_discovery_rate": FALSE_DISCOVERY,
        "confidence": CONFIDENCE,
        "status": status(upgrade.rows),
        "conclusion": conclusion(upgrade),
        "other_packages": {name: {"old": old, "new": new} for name, (old, new) in upgrade.others.items()},
        "counts": dict(Counter(row.verdict for row in upgrade.rows)),
        "geometric_means": [
            {"of": subject, "family": family, "comparisons": count, "ratio": mean, "low": low, "high": high}
            for subject, family, count, (mean, low, high) in means(upgrade.rows)
        ],
        "comparisons": [row_data(row) for row in upgrade.rows],
    }
    return json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False)


def row_data(row: Row) -> dict:
    """One comparison as plain data."""
    return {
        "verdict": row.verdict,
        "family": row.family,
        "kernel": row.kernel,
        "measure": row.measure,
        "backend": row.backend,
        "size": row.size,
        "device": row.device,
        **(asdict(row.estimate) if row.estimate else {}),
        "adjusted_chance": row.chance,
        "old": [side_data(process) for process in row.old],
        "new": [side_data(process) for process in row.new],
    }


def side_data(process) -> dict:
    """One process: its value, and the samples that it is the median of."""
    return {"value": process.value, "samples": process.samples}
