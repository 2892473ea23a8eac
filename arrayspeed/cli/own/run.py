"""Sides and a file in, a verdict out: what commands on own code do when their arguments are read."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from arrayspeed.formats.terminal import console
from arrayspeed.measure.players import Turns
from arrayspeed.measure.until_decided import Limits
from arrayspeed.model.errors import UserError
from arrayspeed.own import script, show
from arrayspeed.own.commands import check_metric
from arrayspeed.own.compared import Wanted, compare
from arrayspeed.own.page import as_page
from arrayspeed.own.script import Script
from arrayspeed.own.sides import Side
from arrayspeed.own.verdict import Verdict

#: Option -> where its value is; ``command`` is arrayspeed's own.
WHERE = {"file": "file", "asv": "asv", "pytest": "pytest", "command": "shell"}


def say(text: str) -> None:
    """Progress, which is no part of the verdict."""
    print(text, file=sys.stderr, flush=True)


def script_of(args: argparse.Namespace) -> Script:
    """What the arguments want to have measured.

    Raises
    ------
    UserError
        They name nothing, several things, or something that is not there.
    """
    given = [option for option in ("file", "asv", "pytest", "command") if getattr(args, WHERE[option])]
    if len(given) > 1:
        raise UserError(f"--{given[0]} and --{given[1]}: one of them")
    if bool(args.metric) != bool(args.shell):
        raise UserError("--command and --metric belong together: --command 'python train.py' --metric 'ms=([0-9.]+)'")
    if args.asv or args.pytest:
        return script.suite(args.asv or args.pytest, given[0])
    if args.shell:
        check_metric(args.metric)
        return script.of_command(args.shell, args.metric)
    return script.read(args.file)


def run(what: Script, sides: Sequence[Side], args: argparse.Namespace, every_pair: bool = False) -> int:
    """Measure, print the verdict, and return the exit status. ``every_pair``: which side is the fastest."""
    wanted = Wanted(
        folder=Path(args.results).absolute() if args.results else beside(what),
        functions=tuple(args.function),
        sizes=tuple(args.size),
        companions=tuple(args.companions),
        limits=Limits(args.rounds, args.minutes, args.factor),
        turns=Turns(timeout=args.timeout),
        tolerance=args.tolerance,
        again=args.again,
        every_pair=every_pair,
        unclear=args.unclear,
        wait=args.wait,
    )
    found = compare(what, sides, wanted, say)
    print_verdict(found, args.format)
    if args.html:
        try:
            Path(args.html).write_text(as_page(found), encoding="utf-8")
        except OSError as error:
            raise UserError(f"cannot write --html {args.html}: {error.strerror}") from error
    return found.status


def beside(what: Script) -> Path:
    """Where results go: beside the file, or where a command is run."""
    return (what.path if what.command else what.path.parent) / ".arrayspeed"


def print_verdict(verdict: Verdict, form: str) -> None:
    """As a table, in Markdown or as JSON."""
    if form == "json":
        print(show.as_json(verdict))
    elif form == "markdown":
        print(show.as_markdown(verdict))
    else:
        console().print(show.as_table(verdict))
