"""What `bisect` and `watch` share: whether our kernels or somebody's own code is measured, and its options."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace

from arrayspeed.cli.own import arguments
from arrayspeed.cli.own.run import script_of, wanted_of
from arrayspeed.cli.selected import add_selected, check_selected
from arrayspeed.environments import interpreters
from arrayspeed.environments.project import load_config
from arrayspeed.formats.progress import say
from arrayspeed.measure.tiers import kernels_of
from arrayspeed.model.errors import UserError
from arrayspeed.subjects.kernels import Kernels
from arrayspeed.subjects.own import OwnCode
from arrayspeed.subjects.subject import Subject
from arrayspeed.upgrades import pair
from arrayspeed.upgrades.compare import default_selections

#: Options that need --file, and the one that kernels have instead.
OWN = ("metric", "function", "results", "tolerance")


def add_subject(parser: argparse.ArgumentParser) -> None:
    """Add the options that name what is measured."""
    add_selected(parser)
    group = parser.add_argument_group("your own code")
    arguments.add_what(group)
    parser.add_argument(
        "--python",
        metavar="X.Y",
        help="the Python of all environments (default: this one, or the newest that runs what is compared)",
    )


def check_subject(args: argparse.Namespace, names: Sequence[str]) -> None:
    """Whether the options make sense together.

    Raises
    ------
    UserError
        They do not; the message says why.
    """
    if args.python:
        interpreters.check(args.python)
    if args.html:
        raise UserError("--html goes with upgrade and compare")
    if arguments.is_own(args):
        if args.bench or args.tier:
            raise UserError("--bench and --tier are for arrayspeed's own kernels; with --file, -k chooses functions")
        return
    for option in OWN:
        if getattr(args, option):
            raise UserError(f"--{option} goes with --file")
    for name in names:
        pair.check_versions(name, *(text for text in (getattr(args, each, None) for each in ("old", "new")) if text))
    check_selected(args)


def subject_of(args: argparse.Namespace, name: str) -> Subject:
    """Return a package with what is measured of it."""
    if arguments.is_own(args):
        what = script_of(args)
        wanted = replace(wanted_of(what, args), again=False)
        wanted.folder.mkdir(parents=True, exist_ok=True)
        return OwnCode(what, name, wanted, args.python, say)
    return kernels_of_args(args, name, [args.python] if args.python else [])


def kernels_of_args(args: argparse.Namespace, name: str, python: Sequence[str], fitting: bool = False) -> Kernels:
    """Return a library with the kernels that the arguments choose; ``fitting``: as of `Kernels`."""
    chosen = default_selections(args.bench, [args.device], args.size, kernels_of(args.tier, [], bool(args.bench)))
    pair.exact(name, args.companions)
    return Kernels(load_config(), name, chosen, args.companions, python, args.wait, say, fitting)
