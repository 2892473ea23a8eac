"""Print what the stored results show, with ratios and intervals.

These are the most useful findings, each with the comparison that it follows from. The sentences are in
arrayspeed/claims/findings.toml; the numbers are those of the results. Exit status 1 if a finding does not follow from
the results of one of its machines. docs/findings.md is made with --format markdown.

Examples:
    arrayspeed findings
    arrayspeed findings --format markdown
    arrayspeed findings --format json
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from rich.padding import Padding
from rich.text import Text

from arrayspeed.claims import compiled, text
from arrayspeed.claims.comparison import FAILS
from arrayspeed.claims.evidence import Evidence
from arrayspeed.claims.findings import Judged, judged, verdicts
from arrayspeed.claims.table import UNMEASURED, VERDICTS, Claim, Verdict, claims
from arrayspeed.cli import options
from arrayspeed.environments.project import load_config
from arrayspeed.formats.data import as_json
from arrayspeed.formats.tables import markdown_table, markdown_text
from arrayspeed.formats.terminal import console
from arrayspeed.model.text import printable
from arrayspeed.records import results
from arrayspeed.report import upgrades
from arrayspeed.report.findings import as_data, view

#: What the page says before its findings.
LEAD = """\
What the results in `results/` show. `tools/pages` makes this page, and a test fails when a
sentence no longer follows from the results. Every ratio has its 95 % interval. The address under a finding is that of
the view in the report (`make site`) that shows it. [Method](method.md) has how a ratio becomes a word, and
[Limitations](limits.md) what is known to be wrong with these numbers.
"""

ARTICLES = """\
A claim holds by less or by more where its direction is shown and its ratio is beyond a factor of 2 from the one
reported. Where a machine has results for none of an article's claims, it is left out. `arrayspeed claims` lists all
claims.
"""

CONTRARY = """\
These are contradicted; the reason follows where it is known. What is said of threads was looked into on
{machine} where no other machine is named; the rest follows from the results.
"""

COMPILED = """\
For each kernel, the compiled backend, precision and size (small or large) whose ratio to the same library's
eager one is largest, and shown to be above ×1.05 among all of them; ten kernels at most, on {machine}.
"""

RELEASES = """\
Releases of one library, and nothing else, took turns every 20 ms on {machine}. Words are decided over all
comparisons of a library together; a difference is one beyond ×1.05. Of each library, the largest steps between two
neighbouring releases are listed; `arrayspeed versions` and the page of versions show all. Steps and means include
[what memory does to times](reading.md#memory-and-times). Page faults, and the times beside them, are of one
process each.
"""

#: A claim and what became of it on a machine.
Answer = tuple[Claim, Verdict]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``arrayspeed findings``."""
    options.add_format(parser, values={"text": "table"})


def main(args: argparse.Namespace) -> int:
    """Run ``arrayspeed findings``."""
    folder = load_config().results_dir
    evidence = evidence_of(folder)
    every = judged({name: verdicts(name, one) for name, one in evidence.items()})
    if args.format == "json":
        print(as_json({"findings": as_data(every)}))
    elif args.format == "markdown":
        print(markdown(every, evidence, upgrades_of(folder)), end="")
    else:
        show(every)
    return 0 if all(one.follows for one in every) else 1


def evidence_of(folder: str | Path) -> dict[str, Evidence]:
    """Return the measurements of every machine, by its name."""
    table = results.load(folder)
    return {name: Evidence(table.filter(machine=name), folder) for name in sorted(results.machines(table))}


def upgrades_of(folder: str | Path) -> dict[str, list[str]]:
    """Return what is told of releases on every machine where some took turns, by its name."""
    table = results.load(folder)
    every = {
        name: upgrades.describe_upgrades(folder, table.filter(machine=name)) for name in sorted(results.machines(table))
    }
    return {name: lines for name, lines in every.items() if lines}


def show(every: list[Judged]) -> None:
    """Show the findings at a terminal."""
    out = console()
    for one in every:
        out.print(Text(one.finding.text, "bold" if one.follows else "red"))
        for machine, verdict in one.verdicts.items():
            word = "" if one.follows else f"{verdict.word}: "
            out.print(Padding(Text(f"{printable(machine)}: {word}{printable(verdict.text)}"), (0, 0, 0, 2)))
        for machine in set(one.finding.machines) - one.verdicts.keys():
            out.print(Padding(Text(f"{machine}: there are no results"), (0, 0, 0, 2)))
    out.print(f"{sum(one.follows for one in every)} of {len(every)} findings follow from the results")


def markdown(every: list[Judged], evidence: Mapping[str, Evidence], releases: Mapping[str, list[str]]) -> str:
    """Return the page: findings that follow, what releases changed, and what became of the articles' claims, by
    machine.
    """
    answers = {name: [(claim, claim.judge(one)) for claim in claims()] for name, one in evidence.items()}
    lines = ["# Findings", "", LEAD]
    for one in every:
        if one.follows:
            lines += [
                f"## {one.finding.text}",
                "",
                *([one.finding.why, ""] if one.finding.why else []),
                *shown(one),
                "",
            ]
    machine, _ = compiled.reasons()
    if slower := compiled.slower(evidence[machine]) if machine in evidence else []:
        lines += ["## The largest slowdowns by compiling", "", COMPILED.format(machine=machine)]
        lines += [*map(slower_text, slower), ""]
    for name, told in releases.items():
        lines += ["## What releases changed", "", RELEASES.format(machine=name), *told]
    lines += ["## What became of four articles' claims", "", ARTICLES, *articles(answers)]
    if against := contrary(answers):
        lines += [CONTRARY.format(machine=machine), "", *against, ""]
    return "\n".join(lines)


def shown(judged: Judged) -> list[str]:
    """Return what each machine shows of a finding."""
    found = judged.verdicts.items()
    return [
        f"- {markdown_text(machine)}: {markdown_text(verdict.text)} (`report/{view(judged.finding, machine, verdict)}`)"
        for machine, verdict in found
    ]


def slower_text(slower: compiled.Slower) -> str:
    """Return a kernel that is slower when it is compiled, and why."""
    case = slower.comparison.pair.fast
    ratio = text.single(slower.comparison, slower.measurements)
    said = f"`{case.kernel}` {case.size:,} {case.dtype}: {ratio}. {slower.why}"
    return f"- {said.rstrip()}"


def articles(answers: dict[str, list[Answer]]) -> list[str]:
    """Return a table: how many claims of each article have which verdict, machine by machine."""
    rows = []
    for machine, found in answers.items():
        for article in dict.fromkeys(claim.article for claim, _ in found):
            counts = Counter(verdict.word for claim, verdict in found if claim.article == article)
            if not counts.keys() - {UNMEASURED}:
                continue
            rows.append([machine, article.title, *(str(counts[word] or "") for word in VERDICTS)])
    return markdown_table(["machine", "article", *VERDICTS], rows)


def contrary(answers: dict[str, list[Answer]]) -> list[str]:
    """Return the claims that do not hold on some machine, with the reason, and what was measured on each."""
    found: dict[str, list[str]] = {}
    for machine, answered in answers.items():
        for claim, verdict in answered:
            if verdict.word == FAILS:
                lines = found.setdefault(claim.text, [f"- {markdown_text(f'{claim.text}. {verdict.why}'.rstrip())}"])
                lines.append(f"  - {markdown_text(machine)}: {markdown_text(verdict.text)}")
    return [line for lines in found.values() for line in lines]
