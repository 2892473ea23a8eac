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
import sys
from contextlib import redirect_stdout

from asv.config import Config
from asv.environment import get_environments
from asv.repo import get_repo

from arrayspeed.cli.own import upgrade as own
from arrayspeed.cli.own.arguments import add_cores, add_limits, check_limits, use_cores
from arrayspeed.cli.selected import add_selected, check_selected
from arrayspeed.environments.machine import describe
from arrayspeed.environments.plugin import stored_packages
from arrayspeed.environments.project import load_config
from arrayspeed.formats.terminal import console
from arrayspeed.measure.host import only_run
from arrayspeed.measure.plan import Selection
from arrayspeed.measure.session import open_session, same_code
from arrayspeed.measure.tiers import kernels_of
from arrayspeed.measure.until_decided import Limits
from arrayspeed.model.errors import UserError
from arrayspeed.records.results import result_commits
from arrayspeed.upgrade import compare, pair, verdict
from kernels import LIBRARIES


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``arrayspeed upgrade``."""
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
    selections = compare.default_selections(
        args.bench, [args.device], args.size, kernels_of(args.tier, [], bool(args.bench))
    )
    config = load_config()
    versions = [args.old, args.new]
    with redirect_stdout(sys.stderr):
        pythons = pair.pythons_of(config, args.library, versions, args.companions, print, args.python or [])
    both = pair.pair_config(config, args.library, args.old, args.new, args.companions, pythons)
    # What is printed while measuring is no part of the verdict, which programs read.
    with redirect_stdout(sys.stderr):
        rows, machine, packages = (reuse if args.reuse else measure)(both, selections, args)
    if not rows:
        raise UserError(
            f"{both.results_dir}/{machine} has no results of both versions from the current kernels: "
            "run it without --reuse"
        )
    others = pair.packages_that_differ(args.library, packages, pythons)
    found = verdict.Upgrade(args.library, args.old, args.new, machine, args.factor, others, rows, args.unclear)
    show(found, args.format)
    return found.status


def check(args: argparse.Namespace) -> None:
    """Whether the arguments make sense together.

    Raises
    ------
    UserError
        They do not; the message says why.
    """
    pair.check_versions(args.library, args.old, args.new)
    check_limits(args)
    if args.machine and not args.reuse:
        raise UserError("--machine needs --reuse: new measurements are made on this machine")
    check_selected(args, here=not args.reuse)


def measure(
    config: Config, selections: list[Selection], args: argparse.Namespace
) -> tuple[list[compare.Row], str, list[dict[str, str]]]:
    """What was decided of both versions, on which machine, and the packages of both environments.

    Raises
    ------
    UserError
        An environment cannot be made, or another run is measuring.
    """
    with only_run(config.results_dir, args.wait):
        session = open_session(config, selections)
        rows = compare.measure(session, selections, Limits(args.rounds, args.minutes, args.factor))
    return rows, session.machine["machine"], [env.packages() for env in session.environments.values()]


def reuse(
    config: Config, selections: list[Selection], args: argparse.Namespace
) -> tuple[list[compare.Row], str, list[dict[str, str]]]:
    """As `measure`, from what is stored."""
    machine = args.machine or describe()["machine"]
    commits = same_code(get_repo(config), result_commits(config.results_dir, machine))
    old, new = (env.name for env in get_environments(config, None))
    found = compare.stored(config.results_dir, machine, (old, new), commits, selections)
    packages = [stored_packages(config.results_dir, machine, name, commits) for name in (old, new)]
    return compare.judge_stored(found, args.factor), machine, packages


def show(result: verdict.Upgrade, form: str) -> None:
    """Print the verdict."""
    if form == "json":
        print(verdict.as_json(result))
    elif form == "markdown":
        print(verdict.as_markdown(result))
    else:
        console().print(verdict.as_table(result))
