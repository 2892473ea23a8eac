"""Sides and a file in, a verdict out: what commands on own code do when their arguments are read."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from arrayspeed.formats.terminal import console
from arrayspeed.measure.players import Turns
from arrayspeed.measure.until_decided import Limits
from arrayspeed.own import show
from arrayspeed.own.compared import Wanted, compare
from arrayspeed.own.page import as_page
from arrayspeed.own.script import Script
from arrayspeed.own.sides import Side
from arrayspeed.own.verdict import Verdict


def say(text: str) -> None:
    """Progress, which is no part of the verdict."""
    print(text, file=sys.stderr, flush=True)


def run(script: Script, sides: Sequence[Side], args: argparse.Namespace, companions: Sequence[str] = ()) -> int:
    """Measure, print the verdict, and return the exit status."""
    wanted = Wanted(
        folder=Path(args.results) if args.results else script.path.parent / ".arrayspeed",
        functions=tuple(args.function),
        sizes=tuple(args.size),
        companions=tuple(companions),
        limits=Limits(args.rounds, args.minutes, args.factor),
        turns=Turns(timeout=args.timeout),
        tolerance=args.tolerance,
        again=args.again,
        unclear=args.unclear,
    )
    found = compare(script, sides, wanted, say)
    if args.html:
        Path(args.html).write_text(as_page(found), encoding="utf-8")
    print_verdict(found, args.format)
    return found.status


def print_verdict(verdict: Verdict, form: str) -> None:
    """As a table, in Markdown or as JSON."""
    if form == "json":
        print(show.as_json(verdict))
    elif form == "markdown":
        print(show.as_markdown(verdict))
    else:
        console().print(show.as_table(verdict))
