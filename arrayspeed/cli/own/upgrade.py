"""``arrayspeed upgrade … --file``: two sides of somebody's own code.

The sides are two versions of a package, two lock files, two interpreters, or one of them with other environment
variables.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

from arrayspeed.cli.own import arguments, soak
from arrayspeed.cli.own.run import commits_of, judged, place_of_code, project_of, run, script_of
from arrayspeed.model.errors import UserError
from arrayspeed.own import sides
from arrayspeed.own.sides import Side


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``arrayspeed upgrade`` that are about own code."""
    group = parser.add_argument_group("your own code")
    arguments.add_what(group)
    arguments.add_commits(group, beside=True)
    group.add_argument(
        "--lock",
        nargs=2,
        metavar=("OLD", "NEW"),
        help="two lock files (requirements, uv.lock, poetry.lock, pylock.toml), not a LIBRARY",
    )
    arguments.add_side(group)
    group.add_argument(
        "--python",
        nargs="+",
        metavar="PYTHON",
        help="one interpreter for both sides, or one each: a version, for which an environment is made, or with --file "
        "a path, which is used as it is (default: this Python, or the newest in which both sides can be installed)",
    )
    soak.add_arguments(group)
    several: dict[str, Any] = {"action": "append", "default": [], "metavar": "NAME=VALUE"}
    group.add_argument("--old-env", **several, help="an environment variable of the old side")
    group.add_argument("--new-env", **several, help="an environment variable of the new side")


def is_own(args: argparse.Namespace) -> bool:
    """Return whether the arguments are about own code."""
    if arguments.is_own(args):
        return True
    if args.metric:
        raise UserError("--metric goes with --command")
    for option in (
        "lock",
        "side",
        "commits",
        "old_env",
        "new_env",
        "function",
        "results",
        "again",
        "tolerance",
        "soak",
    ):
        if getattr(args, option):
            raise UserError(f"--{option.replace('_', '-')} goes with --file")
    return False


def main(args: argparse.Namespace) -> int:
    """Run ``arrayspeed upgrade`` on own code."""
    for option in ("bench", "reuse", "machine"):
        if getattr(args, option):
            raise UserError(f"--{option} is for arrayspeed's own kernels and does not go with --file")
    if args.commits:
        return of_commits(args)
    for option in ("benchmarks_from", *(() if args.project else ("extra", "build_arg"))):
        if getattr(args, option):
            raise UserError(f"--{option.replace('_', '-')} goes with --commits")
    both, what = sides_of(args), script_of(args)
    if args.project:
        project = project_of(args, place_of_code(args))
        project.builder.commands, project.builder.needs = what.build, what.dependencies
        both = project.beside(both)
    return soak.soak(what, both, args) if args.soak else run(what, both, args)


def of_commits(args: argparse.Namespace) -> int:
    """Compare two commits of somebody's project."""
    if args.library is not None:
        raise UserError(f"--commits takes no LIBRARY: {args.library!r} is left over")
    variables = variables_of_sides(args)
    subject = commits_of(args, args.commits[-1])
    both = subject.own.sides(args.commits)
    varied = [replace(one, variables=each) for one, each in zip(both, variables, strict=True)]
    return soak.soak(subject.script, varied, args) if args.soak else judged(subject, varied, args)


def variables_of_sides(args: argparse.Namespace) -> list[tuple[tuple[str, str], ...]]:
    """Return the environment variables of the old side and of the new one."""
    given = (args.old_env, "--old-env"), (args.new_env, "--new-env")
    return [sides.variables_of(texts, option) for texts, option in given]


def sides_of(args: argparse.Namespace) -> list[Side]:
    """Return the two sides that the arguments name.

    Raises
    ------
    UserError
        They name none, or more than one thing that differs in kind.
    """
    given = [each for each in (args.library, args.old, args.new) if each is not None]
    for option in ("lock", "side"):
        if getattr(args, option) and given:
            raise UserError(f"--{option} takes no LIBRARY: {given[0]!r} is left over")
    if args.side and (len(args.side) != 2 or args.lock):
        raise UserError("--side is given twice, and without --lock; for more sides there is arrayspeed compare")
    if given and len(given) < 3:
        raise UserError("a package and two versions are needed: arrayspeed upgrade jax 0.9.2 0.10.2 --file mine.py")
    pythons = args.python or []
    if args.lock:
        both = [Side(Path(path).name, lock=Path(path)) for path in args.lock]
        if both[0].label == both[1].label:
            both = [replace(one, label=str(one.lock)) for one in both]
    elif args.side:
        both = [sides.of_text(text) for text in args.side]
    elif given:
        both = sides.of_library(given[0], given[1:], pythons)
    else:
        both = [Side(""), Side("")]
    if not given:  # what is given has them already
        both = sides.with_pythons(both, pythons)
    for one in both:
        if one.as_is and (one.wanted or one.lock):
            raise UserError(
                f"--python {one.python} is used as it is, and nothing is installed there: give a version, 3.13"
            )
    variables = variables_of_sides(args)
    if not given and not args.lock and not args.side and len(pythons) < 2 and not any(variables):
        raise UserError("nothing differs: give LIBRARY OLD NEW, --lock, two --python, or --old-env and --new-env")
    return [
        replace(one, variables=tuple(sorted({**dict(one.variables), **dict(each)}.items())))
        for one, each in zip(both, variables, strict=True)
    ]
