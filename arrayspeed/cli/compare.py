"""Say which of your functions, versions or settings is fastest.

Functions of one file, or any number of sides, are measured side by side. In the first example, jax-jit is the function
bench_jax_jit. All
sides take turns, and every one is compared with every other; the table shows ratios to the first. The fastest are all
that no other one is shown to be faster than. docs/own-code.md explains files.

Exit status: 0 decided, 1 something fails or returns another result, 2 not decided, or a mistake.

Examples:
    arrayspeed compare jax-jit numpy --file mine.py
    arrayspeed compare --side numpy==2.2.6 --side numpy==2.4.6 --file mine.py
    arrayspeed compare --commits v1.0 v1.1 HEAD --file mine.py
"""

from __future__ import annotations

import argparse
from typing import Any

from arrayspeed.cli.options import cores
from arrayspeed.cli.own import arguments
from arrayspeed.cli.own.run import commits_of, judged, run, script_of
from arrayspeed.model.errors import UserError
from arrayspeed.own import sides
from arrayspeed.own.sides import Side


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``arrayspeed compare``."""
    parser.add_argument("functions", metavar="FUNCTION", nargs="*", help="functions of the file, two or more")
    several: dict[str, Any] = {"action": "append", "default": []}
    parser.add_argument(
        "--side",
        dest="sides",
        **several,
        metavar="SIDE",
        help="requirements and environment variables of a side: 'jax==0.4.31 XLA_FLAGS=--x=1'; two or more",
    )
    arguments.add_what(parser)
    arguments.add_commits(parser, several=True)
    arguments.add_limits(parser)
    cores.add_several_cores(parser)
    parser.add_argument("--size", **several, metavar="SIZE", help="only these sizes")
    parser.add_argument(
        "--with", dest="companions", **several, metavar="REQUIREMENT", help="another requirement of all sides"
    )
    parser.add_argument("--python", metavar="PYTHON", help="a version, or the path of an interpreter to use as it is")


def main(args: argparse.Namespace) -> int:
    """Run ``arrayspeed compare``."""
    return cores.on_each(args, compare)


def compare(args: argparse.Namespace) -> int:
    """Compare the sides on the cores that this process may use."""
    if not arguments.is_own(args):
        raise UserError("what is to be measured? --file mine.py; see `arrayspeed compare --help`")
    if args.commits:
        if args.functions or len(args.commits) < 2:
            raise UserError("--commits takes two commits or more, and no functions: -k chooses these")
        subject = commits_of(args, args.commits[-1])
        return judged(subject, subject.own.sides(args.commits), args, every_pair=True)
    if bool(args.functions) == bool(args.sides):
        raise UserError("give functions of the file, or --side twice or more")
    if args.functions and not args.file:
        raise UserError("functions are of a file: --file mine.py")
    if args.functions and args.function:
        raise UserError("--function chooses of all functions, and these are named already")
    if len(args.functions or args.sides) < 2:
        raise UserError("two at least are needed for a comparison")
    found = [named(text, args.python) for text in args.functions] or [
        *sides.with_pythons([sides.of_text(text) for text in args.sides], [args.python] if args.python else [])
    ]
    return run(script_of(args), found, args, every_pair=True)


def named(text: str, python: str | None) -> Side:
    """Return a side that is a function."""
    name = text.replace("-", "_").removeprefix("bench_")
    return Side(text.removeprefix("bench_"), python=python, function=f"bench_{name}")
