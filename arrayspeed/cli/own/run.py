"""Sides and a file in, a verdict out: what commands on own code do when their arguments are read."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from arrayspeed.cli.own.arguments import limits_of
from arrayspeed.cli.showing import finish
from arrayspeed.environments import interpreters
from arrayspeed.formats.progress import say
from arrayspeed.measure.players import Interleaving
from arrayspeed.model.errors import UserError
from arrayspeed.own import script
from arrayspeed.own.commands import metrics
from arrayspeed.own.commits import Project
from arrayspeed.own.commits import Wanted as Commanded
from arrayspeed.own.compared import Wanted
from arrayspeed.own.kinds import KINDS
from arrayspeed.own.script import COMMAND, WITHOUT_FILE, Script
from arrayspeed.own.sides import Side
from arrayspeed.subjects.commits import Commits, place_of
from arrayspeed.subjects.own import OwnCode


def script_of(args: argparse.Namespace) -> Script:
    """Return what the arguments want to have measured.

    Raises
    ------
    UserError
        They name nothing, several things, or something that is not there.
    """
    given = {name: value for name in KINDS if (value := getattr(args, name, None))}
    if len(given) > 1:
        raise UserError(f"--{' and --'.join([*given][:2])}: one of them")
    metric = getattr(args, "metric", None)
    if bool(metric) != (COMMAND in given):
        raise UserError("--command and --metric belong together: --command 'python train.py' --metric 'ms=([0-9.]+)'")
    ((name, value),) = given.items()
    more = getattr(args, "more_is_better", None)
    if more is not None and not metric:
        raise UserError("--more-is-better goes with --metric")
    if not metric:
        return measured_whole(replace(KINDS[name].read(value), asked=asked_of(name, args)))
    return script.of_command(value, metric, metrics(metric, more)[1])


def asked_of(kind: str, args: argparse.Namespace) -> dict[str, Any]:
    """Return what a worker is asked for besides the functions.

    Raises
    ------
    UserError
        It is of another kind of code.
    """
    found = {name: getattr(args, name, None) for name in ("parallel", "threads", "whole")}
    if found["whole"] and kind != "pytest":
        raise UserError("--whole goes with --pytest")
    return {name: value for name, value in found.items() if value}


def measured_whole(what: Script) -> Script:
    """Return a script whose tests are measured whole: of them times alone mean something."""
    return replace(what, times_only=True) if what.asked.get("whole") else what


def wanted_of(what: Script, args: argparse.Namespace) -> Wanted:
    """Return what somebody asks of own code, whatever the command; it may lack some of the options."""
    return Wanted(
        folder=Path(args.results).absolute() if args.results else what.folder,
        functions=tuple(args.function),
        sizes=tuple(args.size),
        companions=tuple(args.companions),
        turns=Interleaving(timeout=args.timeout),
        tolerance=getattr(args, "tolerance", None),
        again=getattr(args, "again", False),
        wait=args.wait,
    )


def commits_of(args: argparse.Namespace, newest: str) -> Commits:
    """Return what the arguments want to have measured, of a project's commits; ``newest``: the one that has it.

    Raises
    ------
    UserError
        They name no code, or a project that is none.
    """
    kind = next((name for name in KINDS if getattr(args, name, None)), None)
    if kind is None:
        raise UserError("--commits needs what is measured: --file, --asv, --pytest, --command or --import")
    for option in ("lock", "side", "sides"):
        if getattr(args, option, None):
            raise UserError(f"--commits and --{option.rstrip('s')}: one of them")
    place = place_of(kind in WITHOUT_FILE, getattr(args, kind), args.results)
    project = project_of(args, place)
    if kind not in WITHOUT_FILE:
        setattr(args, kind, project.benchmarks(getattr(args, kind), newest))
    args.results = str(place)
    what = script_of(args)
    project.builder.commands, project.builder.needs = what.build, what.dependencies
    return Commits(what, project, wanted_of(what, args), say)


def project_of(args: argparse.Namespace, place: Path) -> Project:
    """Return the project that the arguments name; ``place``: where what is built is kept.

    Raises
    ------
    UserError
        It is none.
    """
    python = args.python[0] if isinstance(args.python, list) and args.python else args.python or None
    if isinstance(args.python, list) and len(args.python) > 1:
        raise UserError("--python takes one version with a project: both sides are built with it")
    if python:
        interpreters.check(python)
    for text in args.build_arg:
        if "=" not in text:
            raise UserError(f"--build-arg {text!r} is not NAME=VALUE")
    folder, extras, settings = Path(args.project or "."), tuple(args.extra), tuple(args.build_arg)
    return Project(Commanded(folder, extras, settings, python, args.benchmarks_from), place, say)


def place_of_code(args: argparse.Namespace) -> Path:
    """Return where what is made of somebody's code is kept.

    Raises
    ------
    UserError
        They name no code.
    """
    kind = next((name for name in KINDS if getattr(args, name, None)), None)
    if kind is None:
        raise UserError(f"what is measured is missing: --{', --'.join(KINDS)}")
    return place_of(kind in WITHOUT_FILE, getattr(args, kind), args.results)


def run(what: Script, sides: Sequence[Side], args: argparse.Namespace, every_pair: bool = False) -> int:
    """Measure, print the verdict, and return the exit status. ``every_pair``: which side is the fastest."""
    return judged(OwnCode(what, "", wanted_of(what, args), None, say), sides, args, every_pair)


def judged(subject: OwnCode, sides: Sequence[Side], args: argparse.Namespace, every_pair: bool = False) -> int:
    """Measure a subject, print the verdict, and return the exit status."""
    verdict = subject.verdict(sides, limits_of(args), args.unclear, every_pair)
    return finish(verdict, args)
