"""Check the claims of the four articles against the results of a machine.

Every quantitative claim: the article, the claim in our words, what the article reports, what was measured here, and
whether it "holds", "does not hold" or is "not measured here". The rules are in arrayspeed/claims.py.
"""

from __future__ import annotations

import itertools
import json
from collections import Counter

from rich import box
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from arrayspeed import results
from arrayspeed.claims import ARTICLES, CLAIMS, FAILS, HOLDS, UNMEASURED, Claim, Verdict
from arrayspeed.criteria import Comparison
from arrayspeed.evidence import Evidence
from arrayspeed.project import load_config
from arrayspeed.terminal import console
from arrayspeed.text import printable

STYLES = {HOLDS: "green", FAILS: "red", UNMEASURED: "dim"}

#: Below this width of the terminal, claims are listed one below the other instead of in columns.
TABLE_WIDTH = 100


def add_arguments(parser) -> None:
    """The options of ``arrayspeed claims``."""
    parser.add_argument("--machine", metavar="NAME", help="default: this one, else the one measured last")
    parser.add_argument("--article", choices=ARTICLES, help="only the claims of one article")
    parser.add_argument("--json", action="store_true", help="print JSON, with every measurement that decided")


def main(args) -> int:
    """Run ``arrayspeed claims``."""
    table = results.load(load_config().results_dir)
    machine = results.choose_machine(table, args.machine)
    evidence = Evidence(table.filter(machine=machine))
    judged = [(claim, claim.judge(evidence)) for claim in CLAIMS if args.article in (None, claim.article)]
    if args.json:
        print(json.dumps(as_data(machine, evidence, judged), indent=1, ensure_ascii=False, allow_nan=False))
    else:
        out = console()
        out.print(report(machine, evidence, judged, out.width))
    return 0


def report(machine: str, evidence: Evidence, judged: list[tuple[Claim, Verdict]], width: int) -> RenderableType:
    """The claims, in columns where there is room, and a line of counts."""
    shown = columns(judged) if width >= TABLE_WIDTH else Group(*(block(*entry) for entry in judged))
    counts = Counter(verdict.word for _, verdict in judged)
    count = (
        f"{len(judged)} claims: {counts[HOLDS]} hold, {counts[FAILS]} do not hold, "
        f"{counts[UNMEASURED]} not measured here"
    )
    heading = Text(f"Claims of the articles, on {printable(machine)}", style="bold")
    return Group(heading, shown, Text(count), *(Text(line, style="dim") for line in sources(evidence, judged)))


def columns(judged: list[tuple[Claim, Verdict]]) -> Table:
    """One row a claim; every cell wraps and none is cut."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, expand=True, header_style="bold")
    table.add_column("", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    table.add_column("claim", ratio=5, overflow="fold")
    table.add_column("reported", ratio=3, overflow="fold")
    table.add_column("measured here", ratio=5, overflow="fold")
    for (claim, verdict), (following, _) in itertools.zip_longest(judged, judged[1:], fillvalue=(None, None)):
        style = STYLES[verdict.word]
        cells = claim.text, claim.reported, Text(printable(verdict.text), style)
        last = following is None or following.article != claim.article
        table.add_row(claim.article, Text(verdict.word, style), *cells, end_section=last)
    return table


def block(claim: Claim, verdict: Verdict) -> RenderableType:
    """One claim in four lines, for a narrow terminal."""
    style = STYLES[verdict.word]
    head = Text.assemble((verdict.word, f"bold {style}"), f"  {claim.article}  {claim.text}")
    return Group(
        head, Padding(f"reported: {claim.reported}", (0, 0, 0, 4)), Padding(Text(f"here: {verdict.text}"), (0, 0, 1, 4))
    )


def sources(evidence: Evidence, judged: list[tuple[Claim, Verdict]]) -> list[str]:
    """The environments that decided, with their versions."""
    used = Counter(verdict.found.environment for _, verdict in judged if verdict.found)
    return [
        f"{count} decided with "
        + ", ".join(f"{printable(k)} {printable(v)}" for k, v in evidence.versions[name].items())
        for name, count in used.most_common()
    ]


def as_data(machine: str, evidence: Evidence, judged: list[tuple[Claim, Verdict]]) -> dict:
    """The report as plain data."""
    counts = Counter(verdict.word for _, verdict in judged)
    return {
        "machine": machine,
        "counts": {word: counts[word] for word in STYLES},
        "claims": [claim_data(claim, verdict, evidence) for claim, verdict in judged],
    }


def claim_data(claim: Claim, verdict: Verdict, evidence: Evidence) -> dict:
    """One claim and what decided it."""
    found, outcome = verdict.found, verdict.outcome
    return {
        "article": claim.article,
        "claim": claim.text,
        "device": claim.device,
        "reported": claim.reported,
        "rule": claim.rule,
        "verdict": verdict.word,
        "measured": verdict.text,
        "environment": found.environment if found else None,
        "versions": evidence.versions[found.environment] if found else None,
        "size_instead": found.size if found else None,
        "comparisons": [comparison_data(comparison) for comparison in outcome.comparisons] if outcome else [],
        "measurements": [
            vars(case) | {"size": found.size or case.size} | vars(measurement)
            for case, measurement in (found.measurements.items() if found else ())
        ],
    }


def comparison_data(comparison: Comparison) -> dict:
    """One comparison: which is said to be faster, by what ratio it is, and whether that is beyond the noise."""
    return {
        "fast": str(comparison.pair.fast),
        "slow": str(comparison.pair.slow),
        "ratio": comparison.ratio,
        "order": {1: "faster", 0: "tie", -1: "slower"}[comparison.order],
    }
