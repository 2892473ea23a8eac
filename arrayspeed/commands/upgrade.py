"""Say whether upgrading a library is safe: measure two versions in turn and compare them.

The two environments are made if they are not there; the versions need not be in asv.conf.json. Every combination is
measured on both within seconds, A B B A …, several processes each. The verdict lists what became slower, faster,
larger, less accurate, or fails, and what the noise of the machine leaves open.

The same version twice compares two copies of one environment: whatever is reported then is false. Do it once to know
how far to trust the tool on your machine.

Exit status: 0 no regression, 1 regressions, 2 not decided or a mistake.
"""

from __future__ import annotations

import re
import sys
from contextlib import redirect_stdout

from asv.environment import get_environments
from asv.repo import get_repo

from arrayspeed import run
from arrayspeed.environment import stored_packages
from arrayspeed.errors import UserError
from arrayspeed.machine import describe
from arrayspeed.project import load_config
from arrayspeed.results import result_commits
from arrayspeed.session import open_session, same_code
from arrayspeed.terminal import console
from arrayspeed.upgrades import compare, pair, verdict
from kernels import DEVICES, LIBRARIES
from kernels.backends.hardware import missing


def add_arguments(parser) -> None:
    """The options of ``arrayspeed upgrade``."""
    parser.add_argument("library", metavar="LIBRARY", help=f"one of {', '.join(LIBRARIES)}")
    parser.add_argument("old", metavar="OLD", help="a version")
    parser.add_argument("new", metavar="NEW", help="another, or the same to test the tool itself")
    several = {"action": "append", "default": []}
    parser.add_argument(
        "--bench", **several, metavar="REGEX", help="only what it matches: `family.kernel_dtype.measure(parameters)`"
    )
    parser.add_argument("--size", **several, metavar="SIZE", help="a number, small or large (default: both)")
    parser.add_argument("--device", choices=DEVICES, default="cpu", help="default cpu")
    parser.add_argument("--rounds", type=int, default=10, metavar="N", help="processes of each version (default 10)")
    parser.add_argument(
        "--factor", type=float, default=1.05, metavar="F", help="report changes of at least this factor (default 1.05)"
    )
    parser.add_argument("--format", choices=("table", "markdown", "json"), default="table", help="default table")
    parser.add_argument("--reuse", action="store_true", help="measure nothing: compare what is stored in results/")
    parser.add_argument("--machine", metavar="NAME", help="with --reuse: the machine that measured (default this one)")
    parser.add_argument(
        "--with",
        dest="companions",
        **several,
        metavar="PACKAGE==VERSION",
        help="another requirement of both environments, where those of asv.conf.json do not fit",
    )


def main(args) -> int:
    """Run ``arrayspeed upgrade``."""
    check(args)
    selections = compare.default_selections(args.bench, [args.device], args.size)
    config = load_config()
    both = pair.pair_config(config, args.library, args.old, args.new, args.companions)
    # What is printed while measuring is no part of the verdict, which programs read.
    with redirect_stdout(sys.stderr):
        found, machine, packages = (reuse if args.reuse else measure)(both, selections, args)
    rows = compare.judge(found, args.factor, paired=not args.reuse)
    if not rows:
        raise UserError(
            f"results/{machine} holds no processes of both versions, of the kernels as they are now: "
            "run it without --reuse"
            if args.reuse
            else "nothing that can run here is selected; `python -m kernels` lists what there is"
        )
    others = pair.packages_that_differ(args.library, *packages)
    show(verdict.Upgrade(args.library, args.old, args.new, machine, args.factor, others, rows), args.format)
    return compare.status(rows)


def check(args) -> None:
    """Whether the arguments make sense together.

    Raises
    ------
    UserError
        They do not; the message says why.
    """
    pair.check_versions(args.library, args.old, args.new)
    if args.rounds < 2:
        raise UserError(f"--rounds {args.rounds} is not valid: 2 or more; one process says nothing about noise")
    if not 1 <= args.factor < 100:
        raise UserError(f"--factor {args.factor:g} is not valid: 1.05 reports changes of 5 % and more")
    if not args.reuse and (why := missing(args.device)):
        raise UserError(f"--device {args.device}: {why}")
    if args.machine and not args.reuse:
        raise UserError("--machine goes with --reuse: what is measured now is measured on this machine")
    for size in args.size:
        if size not in ("small", "large") and not re.fullmatch("[1-9][0-9]*", size):
            raise UserError(f"--size {size!r} is not valid: a whole number from 1 up, small or large")
    for pattern in args.bench:
        try:
            re.compile(pattern)
        except re.error as error:
            raise UserError(f"--bench {pattern!r} is not a regular expression: {error}") from error


def measure(config, selections, args) -> tuple[compare.Comparison, str, list[dict[str, str]]]:
    """What both versions give now, on which machine, and the packages of both environments.

    Raises
    ------
    UserError
        An environment cannot be made, or another run is measuring.
    """
    with run.only_run(config.results_dir):
        session = open_session(config, selections)
        found = compare.measure(session, selections, args.rounds)
    return found, session.machine["machine"], [env.packages() for env in session.environments.values()]


def reuse(config, selections, args) -> tuple[compare.Comparison, str, list[dict[str, str]]]:
    """As `measure`, from what is stored."""
    machine = args.machine or describe()["machine"]
    commits = same_code(get_repo(config), result_commits(config.results_dir, machine))
    environments = [env.name for env in get_environments(config, None)]
    found = compare.stored(config.results_dir, machine, environments, commits, selections)
    packages = [stored_packages(config.results_dir, machine, name, commits) for name in environments]
    return found, machine, packages


def show(result: verdict.Upgrade, form: str) -> None:
    """Print the verdict."""
    if form == "json":
        print(verdict.as_json(result))
    elif form == "markdown":
        print(verdict.as_markdown(result))
    else:
        console().print(verdict.as_table(result))
