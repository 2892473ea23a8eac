"""Say whether upgrading a library is safe: measure two versions side by side and compare them.

The two environments are created if missing; the versions need not be in asv.conf.json. Each round has a new process of
each version; both are alive at once and take turns every 20 ms. Rounds follow until every comparison is decided:
slower, faster (larger, smaller; less, more accurate), the same, or failing. What stays unclear is listed. Ctrl-C ends
the measuring, and what has been measured is judged. docs/decisions.md explains the words.

With --file, what is measured is a file of yours, of which every function bench_* counts, and LIBRARY is any package;
docs/own-code.md explains that. `upgrade python 3.12 3.13` compares two Pythons with the same packages.

The same version twice compares two copies of one environment: every change reported then is false.

Exit status: 0 if nothing is worse and at most 5 % (--unclear) of the comparisons are unclear, 1 if something is worse,
2 if the result is undecided, or after an error.
"""

from __future__ import annotations

import argparse

from arrayspeed.cli.options.cores import add_cores, use_cores
from arrayspeed.cli.own import upgrade as own
from arrayspeed.cli.own.arguments import add_limits
from arrayspeed.cli.selected import add_selected, check_selected
from arrayspeed.cli.showing import show
from arrayspeed.cli.subjects import kernels_of_args, limits_of
from arrayspeed.model.errors import UserError
from arrayspeed.upgrades import pair
from kernels import LIBRARIES


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``arrayspeed upgrade``."""
    parser.add_argument(
        "library",
        metavar="LIBRARY",
        nargs="?",
        help=f"one of {', '.join(LIBRARIES)}, or python; with --file, any package",
    )
    parser.add_argument("old", metavar="OLD", nargs="?", help="the version to upgrade from")
    parser.add_argument(
        "new", metavar="NEW", nargs="?", help="the version to upgrade to, or OLD again to test the tool itself"
    )
    add_selected(parser)
    add_limits(parser)
    add_cores(parser)
    parser.add_argument("--reuse", action="store_true", help="measure nothing: compare what is stored in results/")
    parser.add_argument("--machine", metavar="NAME", help="with --reuse: the machine that measured (default this one)")
    own.add_arguments(parser)


def main(args: argparse.Namespace) -> int:
    """Run ``arrayspeed upgrade``."""
    use_cores(args.cores)
    if own.is_own(args):
        return own.main(args)
    if args.new is None:
        raise UserError("LIBRARY OLD NEW are needed: arrayspeed upgrade jax 0.9.2 0.10.2")
    check(args)
    subject = kernels_of_args(args, args.library, args.python or [])
    sides, limits = [args.old, args.new], limits_of(args)
    if args.reuse:
        verdict = subject.stored(sides, args.machine, args.factor, args.unclear)
    else:
        verdict = subject.verdict(sides, limits, args.unclear)
    show(verdict, args.format, args.html)
    return verdict.status


def check(args: argparse.Namespace) -> None:
    """Whether the arguments make sense together.

    Raises
    ------
    UserError
        They do not; the message says why.
    """
    pair.check_versions(args.library, args.old, args.new)
    if args.machine and not args.reuse:
        raise UserError("--machine needs --reuse: new measurements are made on this machine")
    check_selected(args, here=not args.reuse)
