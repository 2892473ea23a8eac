"""The options that commands on own code have in common."""

from __future__ import annotations

import argparse
import math
import os
import re
from pathlib import Path

from arrayspeed.decide import FACTOR, LOOKS, UNCLEAR_SHARE
from arrayspeed.model.errors import UserError

#: Seconds that a function has to be prepared, and for each batch.
TIMEOUT = 120.0

#: The most seconds that can be waited for: a week.
LONGEST = 604_800


def add_file(parser: argparse._ActionsContainer) -> None:
    """A file, and which of its functions."""
    parser.add_argument("--file", metavar="FILE", help="a file of yours with bench_* functions, see docs/own-code.md")
    parser.add_argument(
        "-k",
        "--function",
        action="append",
        default=[],
        metavar="REGEX",
        help="with --file: only the functions whose name it matches",
    )
    parser.add_argument("--results", metavar="DIR", help="with --file: instead of .arrayspeed beside the file")


def add_what(parser: argparse._ActionsContainer) -> None:
    """What is measured."""
    add_file(parser)
    parser.add_argument("--asv", metavar="DIR", help="instead of --file: the time_* of a folder of asv benchmarks")
    parser.add_argument("--pytest", metavar="PATH", help="instead of --file: tests that use pytest-benchmark")
    parser.add_argument("--command", dest="shell", metavar="COMMAND", help="instead of --file: a shell command")
    parser.add_argument("--metric", metavar="REGEX", help="with --command: finds the number, less is better")
    parser.add_argument(
        "--timeout",
        type=float,
        default=TIMEOUT,
        metavar="SECONDS",
        help=f"with --file: for getting a function ready, and for each batch of it (default {TIMEOUT:g})",
    )
    parser.add_argument(
        "--tolerance",
        type=float,
        metavar="R",
        help="with --file: results whose largest relative difference is at most this are the same (default: the square "
        "root of the type's rounding error, 1.5e-8 of float64)",
    )
    parser.add_argument("--again", action="store_true", help="with --file: measure again what was measured before")
    parser.add_argument("--html", metavar="FILE", help="with --file: also write a page, which is one file")


def add_limits(parser: argparse.ArgumentParser, formats: bool = True) -> None:
    """How long, and how strict; ``formats``: and how it is printed."""
    parser.add_argument(
        "--rounds",
        type=int,
        default=LOOKS[-1],
        metavar="N",
        help=f"at most N rounds of each comparison (default {LOOKS[-1]})",
    )
    add_minutes(parser)
    parser.add_argument(
        "--factor", type=float, default=FACTOR, metavar="F", help=f"the ratio that you would act on (default {FACTOR})"
    )
    parser.add_argument(
        "--unclear",
        type=float,
        default=UNCLEAR_SHARE,
        metavar="SHARE",
        help=f"the share of comparisons that may stay unclear with exit status 0 (default {UNCLEAR_SHARE})",
    )
    if formats:
        parser.add_argument("--format", choices=("table", "markdown", "json"), default="table", help="default table")


def add_minutes(parser: argparse.ArgumentParser) -> None:
    """How long it may take."""
    parser.add_argument(
        "--minutes",
        type=float,
        default=math.inf,
        metavar="N",
        help="stop after N minutes and judge what has been measured",
    )


def check_minutes(args: argparse.Namespace) -> None:
    """Whether it may take any time at all.

    Raises
    ------
    UserError
        It may not.
    """
    if not args.minutes > 0:
        raise UserError(f"--minutes {args.minutes:g} is not valid: more than 0")


def add_cores(parser: argparse.ArgumentParser, default: int | None = None) -> None:
    """How many cores are used."""
    parser.add_argument(
        "--cores",
        type=int,
        default=default,
        metavar="N",
        help=f"keep all processes to N cores (default {default or 'all'}); on 1, small calls that a library hands to "
        "another thread vary least",
    )


def use_cores(number: int | None) -> None:
    """Keep this process, and what it will start, to so many of the cores that it may use; None: to all.

    Raises
    ------
    UserError
        There are not so many.
    """
    if number is None:
        return
    cores = sorted(os.sched_getaffinity(0))
    if not 1 <= number <= len(cores):
        raise UserError(f"--cores {number} is not valid: from 1 to {len(cores)} here")
    os.sched_setaffinity(0, cores[:number])


def check_limits(args: argparse.Namespace) -> None:
    """Whether what `add_limits` adds makes sense.

    Raises
    ------
    UserError
        It does not; the message says why.
    """
    if args.rounds < 2:
        raise UserError(f"--rounds {args.rounds} is not valid: 2 or more; one process says nothing about noise")
    if not 1 < args.factor < 100:
        raise UserError(f"--factor {args.factor:g} is not valid: above 1; 1.05 reports changes of more than 5 %")
    if not 0 <= args.unclear <= 1:
        raise UserError(f"--unclear {args.unclear:g} is not valid: a share from 0 to 1")
    check_minutes(args)


def check(args: argparse.Namespace) -> None:
    """Whether all options make sense.

    Raises
    ------
    UserError
        They do not; the message says why.
    """
    check_limits(args)
    if not 0 < args.timeout <= LONGEST:
        raise UserError(f"--timeout {args.timeout:g} is not valid: more than 0, at most {LONGEST:,}")
    if args.tolerance is not None and not args.tolerance >= 0:
        raise UserError(f"--tolerance {args.tolerance:g} is not valid: 0 or more")
    if args.html and not Path(args.html).absolute().parent.is_dir():
        raise UserError(f"--html {args.html}: its folder does not exist")
    if args.html and Path(args.html).is_dir():
        raise UserError(f"--html {args.html} is a folder")
    check_functions(args.function)


def check_functions(patterns: list[str]) -> None:
    """Whether functions are chosen by regular expressions.

    Raises
    ------
    UserError
        One is none.
    """
    for pattern in patterns:
        try:
            re.compile(pattern)
        except re.error as error:
            raise UserError(f"--function {pattern!r} is not a regular expression: {error}") from error
