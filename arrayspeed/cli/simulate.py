"""Check how often decisions are wrong, on thousands of comparisons whose truth is known.

Every scenario is a way in which real measurements are worse than those in textbooks. Below each result is that of this
project's former rule on the same data, after a fixed ten rounds. The promises are those in docs/decisions.md.

Exit status: 0 if every promise is kept, 1 if one is broken, 2 after an error.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from dataclasses import asdict
from typing import Any

from rich.text import Text

from arrayspeed.decide import FACTOR
from arrayspeed.decide.simulate import LATE, RUN, SCENARIOS, Report, Summary, report
from arrayspeed.formats import verdicts
from arrayspeed.formats.terminal import console
from arrayspeed.model.errors import UserError

HEADINGS = (
    "scenario",
    "rule",
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


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``arrayspeed simulate``."""
    parser.add_argument(
        "--comparisons", type=int, default=2000, metavar="N", help=f"in each scenario, in runs of {RUN} (default 2000)"
    )
    parser.add_argument("--format", choices=("table", "markdown"), default="table", help="default table")
    parser.add_argument("--json", action="store_true", help="print JSON")


def main(args: argparse.Namespace) -> int:
    """Run ``arrayspeed simulate``."""
    if not 1 <= args.comparisons <= 1_000_000:
        raise UserError(f"--comparisons {args.comparisons} is not valid: a number from 1 to 1000000")
    found = []
    for number, scenario in enumerate(SCENARIOS, 1):
        print(f"{number} of {len(SCENARIOS)}: {scenario.name}", file=sys.stderr, flush=True)
        found.append(report(scenario, args.comparisons))
    broken = {one.scenario: one.broken() for one in found if one.broken()}
    if args.json:
        print(json.dumps(data(found), indent=1, allow_nan=False))
    else:
        show(found, args.format)
    for name, promises in broken.items():
        for promise in promises:
            print(f"broken: {name}: {promise}", file=sys.stderr)
    return 1 if broken else 0


def show(found: list[Report], form: str) -> None:
    """Print a table, two rows a scenario."""
    rows = [row for one in found for row in (now(one), former(one))]
    lines = [
        f"{found[0].now.comparisons:,} comparisons per scenario, 80 % of them equal, the others from ×1.02 to ×1.5 "
        f"either way; the factor is ×{FACTOR:g}. A ratio of ×1.05 is exactly the factor: there, every word but "
        "unclear is false.",
        "Share of comparisons with any word but unclear where every true ratio is exactly the factor, scenario by "
        "scenario: " + ", ".join(percent(one.at_the_factor) for one in found) + ".",
        f"Where time is up after {LATE} rounds, of what is called slower or faster is false: "
        + ", ".join(percent(one.late.false_changed) for one in found)
        + "; of what is called the same: "
        + ", ".join(percent(one.late.false_same) for one in found)
        + "; and where every true ratio is the factor, any word but unclear has: "
        + ", ".join(percent(one.late_at_the_factor) for one in found)
        + ".",
    ]
    if form == "markdown":
        print(*verdicts.markdown_table(HEADINGS, rows), *lines, sep="\n")
        return
    output = console(240)
    styles = ["", "dim"] * len(found)
    output.print(verdicts.table(HEADINGS, rows, styles, right=range(2, len(HEADINGS))))
    for line in lines:
        output.print(Text(line, style="dim"))


def now(one: Report) -> list[str]:
    """The row of today's rule."""
    needed = str(one.needed) if one.needed else "more than 32"
    last = f"{one.now.pairs:.1f}", needed, f"{one.spent:.2f}" if one.spent else ""
    return [one.scenario, "looks", *shares(one.now, one.means.covered), *last]


def former(one: Report) -> list[str]:
    """The row of the former rule."""
    return ["", "former", *shares(one.former, one.means.former_covered), f"{one.former.pairs:.1f}", "", ""]


def shares(one: Summary, means: float) -> list[str]:
    """Shares in per cent, as the headings order them."""
    found = (one.found[size] for size in (1.05, 1.10, 1.20))
    return [
        percent(value)
        for value in (
            one.false_changed,
            one.false_same,
            one.covered,
            one.covered_chosen,
            means,
            *found,
            one.same,
            one.unclear,
        )
    ]


def percent(value: float) -> str:
    """A share in per cent; a dash where there is nothing to take a share of."""
    return "–" if math.isnan(value) else f"{100 * value:.1f} %"


def data(found: list[Report]) -> dict[str, Any]:
    """Everything as plain data, None where there is nothing to take a share of."""
    rows = [asdict(one) | {"spent": one.spent, "broken": one.broken()} for one in found]
    return {"factor": FACTOR, "scenarios": [finite(row) for row in rows]}


def finite(value: Any) -> Any:
    """Plain data without what JSON does not know."""
    if isinstance(value, dict):
        return {str(key): finite(each) for key, each in value.items()}
    if isinstance(value, list):
        return [finite(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
