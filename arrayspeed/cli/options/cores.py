"""How many cores a measurement uses, as an option of commands; with several numbers, it is made on each."""

from __future__ import annotations

import argparse
import contextlib
import copy
import io
import json
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

from arrayspeed.formats.data import as_json
from arrayspeed.model.errors import UserError
from arrayspeed.model.units import plural
from arrayspeed.system.processes import affinity, bind, can_bind

#: What it is good for.
WHY = "on 1, small calls that a library hands to another thread vary least"


def add_cores(parser: argparse.ArgumentParser, default: int | None = None) -> None:
    """Add the option ``--cores``; ``default`` is how many without it, None for all."""
    parser.add_argument(
        "--cores",
        type=int,
        default=default,
        metavar="N",
        help=f"keep all processes to N cores (default {default or 'all'}); {WHY}",
    )


def add_several_cores(parser: argparse.ArgumentParser) -> None:
    """Add the option ``--cores``, which takes several numbers."""
    parser.add_argument(
        "--cores",
        type=numbers,
        default=[],
        metavar="N[,N…]",
        help=f"keep all processes to N cores (default all); {WHY}; --cores 1,2 measures on one core and then on two",
    )


def numbers(text: str) -> list[int]:
    """Return numbers of cores: ``1`` or ``1,2,4``."""
    try:
        found = list(map(int, text.split(",")))
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not valid: numbers of cores, such as 1,2") from error
    if len(set(found)) < len(found):
        raise argparse.ArgumentTypeError(f"{text} names a number twice")
    return found


def use_cores(number: int | None) -> None:
    """Keep this process, and what it will start, to so many of the cores that it may use; None: to all.

    Raises
    ------
    UserError
        There are not so many.
    """
    if number is not None:
        check_cores([number])
        bind(0, sorted(affinity())[:number])


def check_cores(wanted: Collection[int]) -> None:
    """Whether there are so many cores, of each of some numbers.

    Raises
    ------
    UserError
        There are not, or a process cannot be kept to some.
    """
    if not can_bind():
        raise UserError("--cores needs a system where processes can be kept to cores, which this one is not")
    most = len(affinity())
    for number in wanted:
        if not 1 <= number <= most:
            raise UserError(f"--cores {number} is not valid: from 1 to {most} here")


def on_each(args: argparse.Namespace, run: Callable[[argparse.Namespace], int]) -> int:
    """Run a command on each number of cores that ``--cores`` names, one after the other; return the exit status: 1
    where any is, else 2 where any is.

    Tables come one below the other, JSON is one document, and a page of each is written beside the one that is named:
    page.html becomes page-1.html and page-2.html.

    Raises
    ------
    UserError
        There are not so many cores.
    """
    wanted: Sequence[int] = args.cores
    if len(wanted) < 2:
        use_cores(wanted[0] if wanted else None)
        return run(args)
    check_cores(wanted)
    every, found = affinity(), []
    for number in wanted:
        mine = copy.copy(args)
        if getattr(args, "html", None):
            page = Path(args.html)
            mine.html = str(page.with_stem(f"{page.stem}-{number}"))
        use_cores(number)
        try:
            found.append(one_of_several(mine, number, run))
        finally:
            bind(0, every)
    status = max((one["exit_status"] for one in found), key=lambda status: (status == 1, status), default=0)
    if args.format == "json":
        print(as_json({"runs": found, "exit_status": status}))
    return status


def one_of_several(args: argparse.Namespace, number: int, run: Callable[[argparse.Namespace], int]) -> dict[str, Any]:
    """Run a command on so many cores, below a heading; return how many, its exit status and the JSON it printed."""
    # The name of the machine has the number of cores, and asv keeps what it was first.
    from arrayspeed.environments import machine

    machine.setup()
    if args.format != "json":
        print(f"{'## ' if args.format == 'markdown' else ''}{plural(number, 'core')}\n", flush=True)
        return {"cores": number, "exit_status": run(args)}
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        status = run(args)
    return {"cores": number, "exit_status": status, "result": json.loads(printed.getvalue())}
