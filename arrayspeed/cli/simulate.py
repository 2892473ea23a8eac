"""Check how often decisions are wrong, on simulated data.

The truth of thousands of comparisons is known there. Every scenario is a way in which real measurements are worse than
those in textbooks. The promises are those in docs/method.md.

Exit status: 0 if every promise is kept, 1 if one is broken, 2 after an error.

Examples:
    arrayspeed simulate
    arrayspeed simulate --comparisons 20000
    arrayspeed simulate --format json
"""

from __future__ import annotations

import argparse
import math
from dataclasses import asdict
from typing import Any

from arrayspeed.cli import options
from arrayspeed.decide import FACTOR
from arrayspeed.decide.simulate import LATE, RUN, SCENARIOS, Boundary, Report, Summary, report
from arrayspeed.formats.fitting import Fitting, Shown, show
from arrayspeed.formats.progress import say

#: The width of what is no terminal.
PIPED = 240

HEADINGS = (
    "scenario",
    "false slower/faster",
    "false same",
    "intervals that hold",
    "of slower/faster",
    "of means",
    "found ×1.05",
    "×1.10",
    "×1.20",
    "equals called same",
    "unclear",
    "pairs spent",
    "fixed rounds needed",
    "spent/fixed",
)

#: Of bounds: of comparisons that are measured for words, and of a gate, which measures them for bounds alone.
BOUNDS = (
    "scenario",
    "false not slower",
    "false bounds",
    "bounded",
    "of a gate: false bounds",
    "bounded",
    "×1.20 called slower",
    "×1.50",
    "pairs spent",
    "a lone slowdown missed",
    "by a gate",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``arrayspeed simulate``."""
    parser.add_argument(
        "--comparisons",
        type=options.whole(1, most=1_000_000),
        default=2000,
        metavar="N",
        help=f"in each scenario, in runs of {RUN} (default 2000)",
    )
    options.add_format(parser, json_flag=True)


def main(args: argparse.Namespace) -> int:
    """Run ``arrayspeed simulate``."""
    found = []
    for number, scenario in enumerate(SCENARIOS, 1):
        say(f"{number} of {len(SCENARIOS)}: {scenario.name}")
        found.append(report(scenario, args.comparisons))
    broken = {one.scenario: one.broken() for one in found if one.broken()}
    show(shown(found), args.format, PIPED)
    for name, promises in broken.items():
        for promise in promises:
            say(f"broken: {name}: {promise}")
    return 1 if broken else 0


def shown(reports: list[Report]) -> Shown:
    """Return two tables, a row a scenario, and what else there is to say."""
    lines = [
        f"{reports[0].now.comparisons:,} comparisons per scenario, 80 % of them equal, the others from ×1.02 to ×1.5 "
        f"either way; the factor is ×{FACTOR:g}. A ratio of ×1.05 is exactly the factor: there, every word but "
        "unclear is false.",
        f"Where every true ratio is exactly the factor, {at_the_factor([one.at_the_factor for one in reports])}; where "
        f"every one is 1, {', '.join(percent(one.alarms) for one in reports)} call anything slower or faster.",
        f"Where time is up after {LATE} rounds, of what is called slower or faster is false: "
        + ", ".join(percent(one.late.false_changed) for one in reports)
        + "; of what is called the same: "
        + ", ".join(percent(one.late.false_same) for one in reports)
        + "; and where every true ratio is the factor, "
        + at_the_factor([one.late_at_the_factor for one in reports])
        + ".",
    ]
    lines.append(
        f"A lone slowdown of just the limit among {RUN - 1} equals is missed if it is called the same or not slower, "
        f"or said to stay below the limit: of {reports[0].lone_runs} runs."
    )
    tables = [
        Fitting(headings, list(map(cells, reports)), right=range(1, len(headings)))
        for headings, cells in ((HEADINGS, row_of), (BOUNDS, bounds_of))
    ]
    return Shown(tables, data(reports), lines)


def at_the_factor(found: list[Boundary]) -> str:
    """Return in which share of runs anything is said where nothing is true, scenario by scenario."""
    changed, same = (", ".join(map(percent, each)) for each in zip(*((b.changed, b.same) for b in found), strict=True))
    return f"of {found[0].runs} runs, {changed} call anything slower or faster, and {same} anything the same"


def row_of(report: Report) -> list[str]:
    """Return the row of a scenario."""
    needed = str(report.needed) if report.needed else "more than 32"
    last = f"{report.now.pairs:.1f}", needed, f"{report.spent:.2f}" if report.spent else ""
    return [report.scenario, *shares(report.now, report.means.covered), *last]


def bounds_of(report: Report) -> list[str]:
    """Return the row of a scenario in the table of bounds."""
    now, gate = report.now, report.gate
    before = [percent(each) for each in (now.false_not_slower, now.false_bounded, now.bounded / now.comparisons)]
    after = [percent(each) for each in (gate.false_bounded, gate.bounded / gate.comparisons)]
    found = [percent(gate.worse[size]) for size in (1.20, 1.50)]
    lone = [percent(report.lone), percent(report.lone_gate)]
    return [report.scenario, *before, *after, *found, f"{gate.pairs:.1f}", *lone]


def shares(summary: Summary, means: float) -> list[str]:
    """Shares in per cent, as the headings order them."""
    found = (summary.found[size] for size in (1.05, 1.10, 1.20))
    return [
        percent(value)
        for value in (
            summary.false_changed,
            summary.false_same,
            summary.covered,
            summary.covered_chosen,
            means,
            *found,
            summary.same,
            summary.unclear,
        )
    ]


def percent(value: float) -> str:
    """Return a share in per cent; a dash where there is nothing to take a share of."""
    return "–" if math.isnan(value) else f"{100 * value:.1f} %"


def data(reports: list[Report]) -> dict[str, Any]:
    """Return everything as plain data, None where there is nothing to take a share of."""
    rows = [asdict(one) | {"spent": one.spent, "broken": one.broken()} for one in reports]
    return {"factor": FACTOR, "scenarios": [finite(row) for row in rows]}


def finite(value: Any) -> Any:
    """Plain data without what JSON does not know."""
    if isinstance(value, dict):
        return {str(key): finite(each) for key, each in value.items()}
    if isinstance(value, list):
        return [finite(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
