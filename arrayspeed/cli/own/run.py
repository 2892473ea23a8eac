"""Sides and a file in, a verdict out: what commands on own code do when their arguments are read."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from arrayspeed.cli.own.arguments import limits_of
from arrayspeed.cli.showing import finish
from arrayspeed.formats.progress import say
from arrayspeed.measure.players import Interleaving
from arrayspeed.model.errors import UserError
from arrayspeed.own import script
from arrayspeed.own.commands import check_metric
from arrayspeed.own.compared import Wanted
from arrayspeed.own.kinds import KINDS
from arrayspeed.own.script import COMMAND, Script
from arrayspeed.own.sides import Side
from arrayspeed.subjects.own import OwnCode


def script_of(args: argparse.Namespace) -> Script:
    """Return what the arguments want to have measured.

    Raises
    ------
    UserError
        They name nothing, several things, or something that is not there.
    """
    given = {name: value for name in KINDS if (value := getattr(args, name, None))}
    if len(given) > 1:
        raise UserError(f"--{' and --'.join([*given][:2])}: one of them")
    metric = getattr(args, "metric", None)
    if bool(metric) != (COMMAND in given):
        raise UserError("--command and --metric belong together: --command 'python train.py' --metric 'ms=([0-9.]+)'")
    ((name, value),) = given.items()
    if not metric:
        return KINDS[name].read(value)
    check_metric(metric)
    return script.of_command(value, metric)


def wanted_of(what: Script, args: argparse.Namespace) -> Wanted:
    """Return what somebody asks of own code, whatever the command; it may lack some of the options."""
    return Wanted(
        folder=Path(args.results).absolute() if args.results else what.folder,
        functions=tuple(args.function),
        sizes=tuple(args.size),
        companions=tuple(args.companions),
        turns=Interleaving(timeout=args.timeout),
        tolerance=getattr(args, "tolerance", None),
        again=getattr(args, "again", False),
        wait=args.wait,
    )


def run(what: Script, sides: Sequence[Side], args: argparse.Namespace, every_pair: bool = False) -> int:
    """Measure, print the verdict, and return the exit status. ``every_pair``: which side is the fastest."""
    subject = OwnCode(what, "", wanted_of(what, args), None, say)
    verdict = subject.verdict(sides, limits_of(args), args.unclear, every_pair)
    return finish(verdict, args)
