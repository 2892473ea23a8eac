"""The options that commands on own code have in common."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterable
from typing import Any

from arrayspeed.cli import options
from arrayspeed.decide import FACTOR, LOOKS, UNCLEAR_SHARE
from arrayspeed.decide.words import LIMIT, LIMITS, WORDS
from arrayspeed.measure.looking import Limits
from arrayspeed.model.errors import UserError
from arrayspeed.own.kinds import KINDS
from arrayspeed.verdict.notes import what_matters

#: Seconds that a function has to be prepared, and for each batch.
TIMEOUT = 120.0

#: The most seconds that can be waited for: a week.
LONGEST = 604_800


def add_code(parser: argparse._ActionsContainer, kinds: Iterable[str] = KINDS) -> None:
    """Add the options that name somebody's code, by its kinds, and its functions."""
    for name in kinds:
        several = "+" if KINDS[name].several else None
        parser.add_argument(f"--{name}", nargs=several, metavar=KINDS[name].metavar, help=KINDS[name].help)
    parser.add_argument(
        "-k",
        "--function",
        type=options.regex,
        action="append",
        default=[],
        metavar="REGEX",
        help="with --file: only the functions whose name it matches",
    )
    parser.add_argument("--results", metavar="DIR", help="with --file: instead of .arrayspeed beside the file")


def add_commits(parser: argparse._ActionsContainer, several: bool = False, beside: bool = False) -> None:
    """Add the options that name commits of a project.

    ``several``: any number of them; ``beside``: a project may also be on both sides of something else.
    """
    parser.add_argument(
        "--commits",
        nargs="+" if several else 2,
        metavar="COMMIT" if several else ("OLD", "NEW"),
        help="commits of your project, which are built and measured; . is the working tree",
    )
    parser.add_argument(
        "--project",
        metavar="DIR",
        help="with --commits: its folder (default: this one)"
        + ("; else a project of yours, built as it is now and installed on both sides" if beside else ""),
    )
    more: dict[str, Any] = {"action": "append", "default": []}
    parser.add_argument("--extra", **more, metavar="NAME", help="of the project: an extra")
    parser.add_argument("--build-arg", **more, metavar="NAME=VALUE", help="of the project: a setting of its build")
    parser.add_argument(
        "--benchmarks-from", metavar="COMMIT", help="with --commits: the commit that has what is measured (default NEW)"
    )


def add_side(parser: argparse._ActionsContainer) -> None:
    """Add the option that names the two sides by what they need, where no library does."""
    parser.add_argument(
        "--side",
        action="append",
        default=[],
        metavar="SIDE",
        help="twice: requirements and environment variables of the old and of the new side, not a LIBRARY",
    )


def add_what(parser: argparse._ActionsContainer) -> None:
    """Add the options that name what is measured."""
    add_code(parser)
    parser.add_argument(
        "--metric",
        metavar="REGEX",
        help="with --command: finds the number, of which less is better; named groups find several",
    )
    parser.add_argument(
        "--more-is-better",
        nargs="*",
        metavar="NAME",
        help="with --metric: higher is better, for all numbers or those named",
    )
    parser.add_argument("--whole", action="store_true", help="with --pytest: every test by itself, without its setup")
    parser.add_argument(
        "--parallel",
        type=options.at_once,
        metavar="N",
        help="N processes of a side call at once, in turn with those of the other side",
    )
    parser.add_argument("--threads", type=options.at_once, metavar="N", help="as --parallel, with N threads")
    parser.add_argument(
        "--timeout",
        type=options.number(float, lambda value: 0 < value <= LONGEST, f"more than 0, at most {LONGEST:,}"),
        default=TIMEOUT,
        metavar="SECONDS",
        help=f"with --file: limit for preparing a function and for each batch (default {TIMEOUT:g})",
    )
    parser.add_argument(
        "--tolerance",
        type=options.number(float, lambda value: value >= 0, "0 or more"),
        metavar="R",
        help="with --file: results whose largest relative difference is at most this are the same (default: the square "
        "root of the type's rounding error, 1.5e-8 of float64)",
    )
    parser.add_argument("--again", action="store_true", help="with --file: measure again what was measured before")
    add_page(parser)


def is_own(args: argparse.Namespace) -> bool:
    """Return whether the arguments are about somebody's own code."""
    return any(getattr(args, name, None) for name in KINDS)


def add_page(parser: argparse._ActionsContainer) -> None:
    """Whether a page is written, too."""
    parser.add_argument("--html", type=options.new_file, metavar="FILE", help="also write a page, which is one file")


def add_limits(parser: argparse.ArgumentParser, rows: bool = True) -> None:
    """How long, how strict, and how it is printed; ``rows``: a row for each comparison."""
    parser.add_argument(
        "--rounds",
        type=options.whole(2, "one process says nothing about noise"),
        default=LOOKS[-1],
        metavar="N",
        help=f"at most N rounds of each comparison (default {LOOKS[-1]})",
    )
    add_minutes(parser)
    parser.add_argument(
        "--factor",
        type=options.factor,
        default=FACTOR,
        metavar="F",
        help=f"the ratio beyond which a change is reported (default {FACTOR}); for all but call times, also "
        f"differences: {what_matters(FACTOR)}",
    )
    parser.add_argument(
        "--limit",
        type=options.factor,
        metavar="L",
        help=f"the ratio that every comparison must be shown to stay below for exit status 0 (default {LIMIT}, or the "
        "factor where that is more)",
    )
    parser.add_argument(
        "--until",
        choices=(WORDS, LIMITS),
        default=WORDS,
        help="measure a comparison until it has a word (default), or only until it is worse or shown to stay below "
        "--limit, which takes less time",
    )
    options.add_max_unclear(parser, UNCLEAR_SHARE, "lack such a bound with exit status 0")
    options.add_format(parser)
    if rows:
        parser.add_argument("--all", action="store_true", help="show what is the same or negligible, too")


def add_minutes(parser: argparse.ArgumentParser, default: float = math.inf) -> None:
    """How long it may take; ``default`` without the option."""
    said = "" if math.isinf(default) else f" (default {default:g})"
    parser.add_argument(
        "--minutes",
        type=options.positive,
        default=default,
        metavar="N",
        help=f"stop after N minutes and judge what has been measured{said}",
    )


def limits_of(args: argparse.Namespace) -> Limits:
    """Return how long, and how strict.

    Raises
    ------
    UserError
        The limit is less than the factor.
    """
    limit = args.limit or max(LIMIT, args.factor)
    if limit < args.factor:
        raise UserError(f"--limit {limit:g} is less than --factor {args.factor:g}, beyond which changes are reported")
    return Limits(args.rounds, args.minutes, args.factor, limit=limit, until=args.until)
