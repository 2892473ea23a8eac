r"""Accept a change for the worse: up to a ratio, until a date.

An entry is added to accepted.toml in this folder, which `upgrade` reads: it shows the change as accepted, and does not
fail by it. Beyond its ratio or after its date, the change fails again. COMPARISON is a row's function and measure as
the table has them, or its name in `--format json`. docs/upgrade.md explains it.

Exit status: 0, or 2 after a mistake.

Examples:
    arrayspeed accept 'sort(100000) time' --most 1.4 --expires 2027-03-01 \
        --reason 'numpy/numpy#12345'
    arrayspeed accept 'sort(10) time' --most 1.4 --expires 2027-03-01 \
        --reason 'fixed in 2.6' --package numpy 2.4.6 2.5.5
    arrayspeed accept 'solve(100) result' --expires 2027-03-01 --reason rounding
"""

from __future__ import annotations

import argparse
from datetime import date
from pathlib import Path

from arrayspeed.cli import options
from arrayspeed.formats.progress import say
from arrayspeed.model.errors import UserError
from arrayspeed.verdict.accepted import FILE, Accepted, read, written


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``arrayspeed accept``."""
    parser.add_argument(
        "comparison", metavar="COMPARISON", help="a row's function and measure, or its name in --format json"
    )
    parser.add_argument("--reason", required=True, metavar="TEXT", help="why it is accepted")
    parser.add_argument("--expires", required=True, type=day, metavar="DATE", help="the last day: 2027-03-01")
    parser.add_argument(
        "--most",
        type=options.ratio,
        metavar="R",
        help="the ratio up to which it is accepted; without one, a failure or another result is",
    )
    parser.add_argument(
        "--package",
        nargs=3,
        default=("", "", ""),
        metavar=("NAME", "OLD", "NEW"),
        help="only where this package goes from OLD to NEW",
    )
    parser.add_argument("--accepted", default=FILE, metavar="FILE", help=f"default {FILE}")


def day(text: str) -> date:
    """Return a date."""
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a date such as 2027-03-01") from error


def main(args: argparse.Namespace) -> int:
    """Run ``arrayspeed accept``."""
    for name in ("comparison", "reason"):
        if not getattr(args, name).strip():
            raise UserError(f"the {name} is empty")
    path = Path(args.accepted)
    known = read(path) if path.exists() else []
    one = Accepted(args.comparison, args.reason, args.expires, args.most, *args.package)
    if one in known:
        raise UserError(f"{path} accepts that already")
    try:
        before = path.read_text(encoding="utf-8") if path.exists() else ""
        with path.open("a", encoding="utf-8") as file:
            file.write(("\n" if before else "") + written(one))
    except OSError as error:
        raise UserError(f"cannot write {path}: {error.strerror}") from error
    say(f"{path}: {one.comparison} is {one.text}")
    return 0
