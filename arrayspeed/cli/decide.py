"""Decide what became slower from samples measured elsewhere.

It also says what became faster, and what stayed the same. FILE holds JSON lines, one for each process:

    {"comparison": "sort", "side": "reference", "round": 0, "value": 0.00123}

side is reference or subject; less is better. Processes of the same round are a pair. value is null if the process
failed, or a list of that round's batches, of which both sides took the n-th in turn. With FILE and NEW, both are files
that pyperf (--output), pytest-benchmark (--benchmark-json), hyperfine (--export-json), asv (its results of a commit),
Google Benchmark (--benchmark_out) or NVBench (--json) wrote, or CSV with the columns name and value, and FILE is the
reference. CSV with the columns comparison, side, round and value is as JSON lines. - is standard input.

Exit status: 0 if nothing is worse and all but 5 % (--max-unclear) of the comparisons are shown to stay below ×1.25
(--limit), 1 if something is slower or fails, 2 if that is undecided, or after an error.

Examples:
    arrayspeed decide samples.jsonl
    arrayspeed decide old.json new.json --format markdown
    arrayspeed decide old.json new.json --factor 1.1 --limit 1.5
"""

from __future__ import annotations

import argparse
import sys

from rich.text import Text

from arrayspeed.cli import options
from arrayspeed.decide import FACTOR, UNCLEAR_SHARE, Decision, exit_status, judge
from arrayspeed.decide.words import LIMIT
from arrayspeed.formats import tables, verdicts
from arrayspeed.formats.data import as_json
from arrayspeed.formats.fitting import Fitting
from arrayspeed.formats.terminal import console
from arrayspeed.model.text import printable
from arrayspeed.own import samples


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``arrayspeed decide``."""
    parser.add_argument(
        "file", metavar="FILE", help="JSON lines with both sides, or another tool's file of the reference"
    )
    parser.add_argument("new", metavar="NEW", nargs="?", help="the same tool's file of the subject")
    parser.add_argument(
        "--factor",
        type=options.number(float, lambda value: 1 <= value < 100, "1.05 is a change of 5 %"),
        default=FACTOR,
        metavar="F",
        help=f"the ratio that you would act on: slower is above it, same is within it (default {FACTOR:g})",
    )
    parser.add_argument(
        "--limit",
        type=options.factor,
        default=LIMIT,
        metavar="L",
        help=f"the ratio that comparisons must be shown to stay below for exit status 0 (default {LIMIT:g})",
    )
    options.add_format(parser)
    options.add_max_unclear(parser, UNCLEAR_SHARE, "lack such a bound with exit status 0")
    parser.add_argument(
        "--session-noise",
        type=options.number(float, lambda value: 0 <= value < 10, "0.02 is a noise of 2 %"),
        default=samples.SESSION_NOISE,
        metavar="SD",
        help="the noise that is added for two sessions not measured in turn, as a standard deviation of the "
        f"logarithm of the ratio (default {samples.SESSION_NOISE:g})",
    )


def main(args: argparse.Namespace) -> int:
    """Run ``arrayspeed decide``."""
    found = samples.read(args.file, args.new, args.session_noise)
    decisions = dict(
        zip(found.comparisons, judge(list(found.comparisons.values()), args.factor, limit=args.limit), strict=True)
    )
    show(decisions, notes(found.notes, decisions, args), args)
    return exit_status(decisions.values(), args.unclear)


def notes(given: list[str], decisions: dict[str, Decision], args: argparse.Namespace) -> list[str]:
    """Return what a reader must know about the numbers."""
    found = [
        f"Slower: above ×{args.factor:g}. Faster: below ×{1 / args.factor:.3g}. Same: in between. Not slower: below "
        f"×{args.factor:g}. Each is stated only where it was shown, and at most 5 % of what is stated is false by "
        f"chance. Unclear: none of these was shown. Exit status 0: nothing is worse, and all but {args.unclear:.0%} "
        f"stay below ×{args.limit:g}."
    ]
    if lacking := [name for name, one in decisions.items() if one.ratio is not None and one.low is None]:
        found.append(f"Too few rounds for an interval, which needs at least two: {', '.join(lacking)}.")
    return [printable(line) for line in found + given]


def show(decisions: dict[str, Decision], lines: list[str], args: argparse.Namespace) -> None:
    """Print the decisions; with JSON the notes go to stderr."""
    sentence = verdicts.conclusion(list(decisions.values()), args.unclear)
    headings, rows, styles = verdicts.rows_of(decisions)
    if args.format == "json":
        data = verdicts.report_data(decisions, args.unclear)
        print(as_json(data))
        print(*lines, sep="\n", file=sys.stderr)
    elif args.format == "markdown":
        print(f"**{sentence}**", "", *tables.markdown_table(headings, rows), sep="\n")
        print(*(f"<sub>{tables.markdown_text(line)}</sub>  " for line in lines), sep="\n")
    else:
        output = console()
        output.print(Text(sentence, style="bold"))
        output.print(Fitting(headings, rows, 2, styles, right=[4]))
        for line in lines:
            output.print(Text(line, style="dim"))
