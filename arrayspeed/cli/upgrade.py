"""Say whether upgrading a library, or merging a commit, is safe.

Two versions are measured side by side and compared. The two environments are created if missing; the versions need not
be in asv.conf.json. Each round has a new process of each version; both are alive at once and take turns every 20 ms.
Rounds follow until every comparison is decided: slower, faster (larger, smaller; less, more accurate), the same, or
failing; with --until limit, until each is worse or shown to stay below the limit. Ctrl-C ends the measuring, and what
has been measured is judged. docs/method.md explains the words.

With --file, every bench_* function in your file is measured, and LIBRARY is any package;
docs/own-code.md explains that. `upgrade python 3.12 3.13` compares two Pythons with the same packages, and `upgrade
--commits main HEAD --file mine.py` two commits of your project, of which . is the working tree.

The same version twice compares two copies of one environment: every change reported then is false.

Without --tier and --bench, kernels are measured for 10 minutes (--minutes), in the largest tier that fits.

Exit status: 0 (SAFE) if nothing is worse and all but 5 % (--max-unclear) of the comparisons are shown to stay below
×1.25 (--limit), 1 (NOT SAFE) if something is worse, 2 (UNDECIDED) if neither is shown, or after an error.

Examples:
    arrayspeed upgrade jax 0.9.2 0.10.2
    arrayspeed upgrade numpy 2.4.6 2.5.5 --file mine.py
    arrayspeed upgrade --commits main HEAD --file mine.py
"""

from __future__ import annotations

import argparse
import math

from arrayspeed.cli.options.cores import add_several_cores, on_each
from arrayspeed.cli.own import upgrade as own
from arrayspeed.cli.own.arguments import add_limits, limits_of
from arrayspeed.cli.selected import add_selected, check_selected
from arrayspeed.cli.showing import add_accepted, finish
from arrayspeed.cli.subjects import kernels_of_args
from arrayspeed.model.errors import UserError
from arrayspeed.upgrades import pair
from kernels import LIBRARIES

#: How long kernels are measured where nobody says which or how long.
MINUTES = 10.0


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
    add_accepted(parser)
    add_several_cores(parser)
    parser.add_argument("--reuse", action="store_true", help="measure nothing: compare what is stored in results/")
    parser.add_argument("--machine", metavar="NAME", help="with --reuse: the machine that measured (default this one)")
    own.add_arguments(parser)
    parser.set_defaults(minutes=None)


def main(args: argparse.Namespace) -> int:
    """Run ``arrayspeed upgrade``."""
    return on_each(args, upgrade)


def upgrade(args: argparse.Namespace) -> int:
    """Compare the two sides on the cores that this process may use."""
    if own.is_own(args):
        args.minutes = args.minutes or math.inf
        return own.main(args)
    if args.new is None:
        raise UserError("LIBRARY OLD NEW are needed: arrayspeed upgrade jax 0.9.2 0.10.2")
    check(args)
    fitting = not (args.tier or args.bench or args.reuse)
    args.minutes = args.minutes or (MINUTES if fitting else math.inf)
    subject = kernels_of_args(args, args.library, args.python or [], fitting)
    sides, limits = [args.old, args.new], limits_of(args)
    if args.reuse:
        verdict = subject.stored(sides, args.machine, limits, args.unclear)
    else:
        verdict = subject.verdict(sides, limits, args.unclear)
    return finish(verdict, args)


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
