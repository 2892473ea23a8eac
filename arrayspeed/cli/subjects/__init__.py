"""What `bisect` and `watch` share: whether our kernels or somebody's own code is measured, and its options."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from pathlib import Path

from arrayspeed.cli import upgrade
from arrayspeed.cli.own import arguments
from arrayspeed.cli.own.run import beside, say, script_of
from arrayspeed.cli.selected import add_selected
from arrayspeed.environments import interpreters
from arrayspeed.environments.project import load_config
from arrayspeed.measure.players import Turns
from arrayspeed.measure.tiers import kernels_of
from arrayspeed.measure.until_decided import Limits
from arrayspeed.model.errors import UserError
from arrayspeed.own.compared import Wanted
from arrayspeed.releases.own import OwnCode
from arrayspeed.releases.subject import Subject
from arrayspeed.releases.suite import Suite
from arrayspeed.upgrade import pair
from arrayspeed.upgrade.compare import default_selections

#: Options that need --file, and the one that kernels have instead.
OWN = ("metric", "function", "results", "tolerance")


def add_subject(parser: argparse.ArgumentParser) -> None:
    """What is measured."""
    add_selected(parser)
    group = parser.add_argument_group("your own code")
    arguments.add_what(group)
    parser.add_argument(
        "--python",
        metavar="X.Y",
        help="the Python of all environments (default: this one, or the newest that runs what is compared)",
    )


def is_own(args: argparse.Namespace) -> bool:
    """Whether somebody's own code is measured."""
    return bool(args.file or args.asv or args.pytest or args.shell)


def check_subject(args: argparse.Namespace, names: Sequence[str]) -> None:
    """Whether the options make sense together.

    Raises
    ------
    UserError
        They do not; the message says why.
    """
    arguments.check(args)
    if args.python:
        interpreters.check(args.python)
    if args.html:
        raise UserError("--html goes with upgrade and compare")
    if is_own(args):
        if args.bench or args.tier:
            raise UserError("--bench and --tier are for arrayspeed's own kernels; with --file, -k chooses functions")
        return
    for option in OWN:
        if getattr(args, option):
            raise UserError(f"--{option} goes with --file")
    args.machine, args.reuse = None, False
    for name in names:
        args.library, args.old, args.new = name, getattr(args, "old", None) or "1", getattr(args, "new", None) or "1"
        upgrade.check(args)


def subject_of(args: argparse.Namespace, name: str) -> Subject:
    """A package with what is measured of it."""
    if is_own(args):
        what = script_of(args)
        wanted = Wanted(
            folder=Path(args.results).absolute() if args.results else beside(what),
            functions=tuple(args.function),
            sizes=tuple(args.size),
            companions=tuple(args.companions),
            turns=Turns(timeout=args.timeout),
            tolerance=args.tolerance,
            wait=args.wait,
        )
        wanted.folder.mkdir(parents=True, exist_ok=True)
        return OwnCode(what, name, wanted, args.python, say)
    pair.exact(name, args.companions)
    with redirect_stdout(sys.stderr):
        config = load_config()
    kernels = kernels_of(args.tier, [], bool(args.bench))
    chosen = default_selections(args.bench, [args.device], args.size, kernels)
    return Suite(config, name, chosen, args.companions, args.wait, args.python)


def limits_of(args: argparse.Namespace) -> Limits:
    """How long, and how strict."""
    return Limits(args.rounds, args.minutes, args.factor)
