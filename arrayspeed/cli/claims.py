"""Check the claims of four articles against a machine's results.

Lists every quantitative claim: the claim in our words, what the article reports, what was measured here, and whether
the claim holds, holds with a smaller or larger effect, does not hold, is not shown either way, or was not measured. The
claims are in arrayspeed/claims/claims.toml, and the rules in arrayspeed/claims/criteria.py.

Examples:
    arrayspeed claims
    arrayspeed claims --article 000
    arrayspeed claims --machine amd-epyc-f25m17-2cpu --format json
"""

from __future__ import annotations

import argparse
import itertools
from collections import Counter

from rich import box
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from arrayspeed.claims.as_data import as_data
from arrayspeed.claims.comparison import FAILS, OPEN
from arrayspeed.claims.evidence import Evidence
from arrayspeed.claims.table import UNMEASURED, VERDICTS, Article, Claim, Verdict, claims
from arrayspeed.cli import options
from arrayspeed.environments.project import load_config
from arrayspeed.formats.data import as_json
from arrayspeed.formats.tables import markdown_table, markdown_text
from arrayspeed.formats.terminal import console
from arrayspeed.model.names import check
from arrayspeed.model.text import printable
from arrayspeed.records import results

STYLES = {FAILS: "red", OPEN: "yellow", UNMEASURED: "dim"}

HEADINGS = ("verdict", "claim", "reported", "measured here")

#: Below this width of the terminal, claims are listed one below the other instead of in columns.
TABLE_WIDTH = 100


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``arrayspeed claims``."""
    parser.add_argument("--machine", metavar="NAME", help="default: this machine, else the one measured last")
    parser.add_argument("--article", metavar="NUMBER", help="only the claims of one article, such as 000")
    options.add_format(parser, json_flag=True)


def main(args: argparse.Namespace) -> int:
    """Run ``arrayspeed claims``."""
    shown = of_article(args.article)
    folder = load_config().results_dir
    table = results.load(folder)
    machine = results.choose_machine(table, args.machine)
    evidence = Evidence(table.filter(machine=machine), folder)
    judged = [(claim, claim.judge(evidence)) for claim in shown]
    if args.format == "json":
        print(as_json(as_data(machine, evidence, judged)))
    elif args.format == "markdown":
        print(markdown(machine, evidence, judged))
    else:
        out = console()
        out.print(report(machine, evidence, judged, out.width))
    return 0


def of_article(number: str | None) -> list[Claim]:
    """Return the claims of an article; all where none is named.

    Raises
    ------
    UserError
        There is no such article.
    """
    check("article", [number], dict.fromkeys(claim.article.number for claim in claims()))
    return [claim for claim in claims() if number in (None, claim.article.number)]


def style(verdict: Verdict) -> str:
    """Return how a terminal shows a verdict; all that hold are alike, by however much."""
    return STYLES.get(verdict.word, "green")


def report(machine: str, evidence: Evidence, judged: list[tuple[Claim, Verdict]], width: int) -> RenderableType:
    """Return the claims, in columns where there is room, and a line of counts."""
    shown = columns if width >= TABLE_WIDTH else blocks
    heading = Text(f"Claims of the articles, on {printable(machine)}", style="bold")
    articles = [
        part
        for article, entries in itertools.groupby(judged, key=lambda entry: entry[0].article)
        for part in (Text(""), title(article), shown(list(entries)))
    ]
    return Group(
        heading, *articles, Text(counted(judged)), *(Text(line, style="dim") for line in sources(evidence, judged))
    )


def counted(judged: list[tuple[Claim, Verdict]]) -> str:
    """Return how many claims there are, and of each verdict."""
    counts = Counter(verdict.word for _, verdict in judged)
    return f"{len(judged)} claims. " + "; ".join(f"{word}: {counts[word]}" for word in VERDICTS if counts[word])


def title(article: Article) -> Text:
    """Return an article's title, its number, and what it was measured on."""
    return Text.assemble((article.title, "bold"), f" ({article.number}; {article.measured_on})")


def markdown(machine: str, evidence: Evidence, judged: list[tuple[Claim, Verdict]]) -> str:
    """Return the claims as a table of each article."""
    lines = [f"**Claims of the articles, on {markdown_text(machine)}**", ""]
    for article, entries in itertools.groupby(judged, key=lambda entry: entry[0].article):
        rows = [(verdict.word, claim.text, claim.reported, verdict.description) for claim, verdict in entries]
        lines += [markdown_text(title(article).plain), "", *markdown_table(HEADINGS, rows)]
    return "\n".join(
        [*lines, counted(judged), *(f"<sub>{markdown_text(one)}</sub>  " for one in sources(evidence, judged))]
    )


def columns(judged: list[tuple[Claim, Verdict]]) -> Table:
    """One row a claim; every cell wraps and none is cut."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, expand=True, header_style="bold")
    table.add_column("verdict", no_wrap=True, min_width=max(map(len, VERDICTS)))
    table.add_column("claim", ratio=5, overflow="fold")
    table.add_column("reported", ratio=3, overflow="fold")
    table.add_column("measured here", ratio=5, overflow="fold")
    for claim, verdict in judged:
        look = style(verdict)
        table.add_row(Text(verdict.word, look), claim.text, claim.reported, Text(printable(verdict.description), look))
    return table


def blocks(judged: list[tuple[Claim, Verdict]]) -> RenderableType:
    """Return each claim in four lines, for a narrow terminal."""
    return Group(*(block(*entry) for entry in judged))


def block(claim: Claim, verdict: Verdict) -> RenderableType:
    """One claim in four lines."""
    head = Text.assemble((verdict.word, f"bold {style(verdict)}"), f"  {claim.text}")
    return Group(
        head,
        Padding(f"reported: {claim.reported}", (0, 0, 0, 4)),
        Padding(Text(f"here: {verdict.description}"), (0, 0, 1, 4)),
    )


def sources(evidence: Evidence, judged: list[tuple[Claim, Verdict]]) -> list[str]:
    """Return the environments that decided, with their versions."""
    used = Counter(verdict.found.environment for _, verdict in judged if verdict.found)
    return [
        f"{count} claims decided with "
        + ", ".join(f"{printable(k)} {printable(v)}" for k, v in evidence.versions[name].items())
        for name, count in used.most_common()
    ]
