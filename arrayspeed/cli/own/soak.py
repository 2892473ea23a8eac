"""``arrayspeed upgrade … --file mine.py --soak SECONDS``: memory and times over one long process on each side."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from arrayspeed.cli import options
from arrayspeed.cli.own.arguments import limits_of
from arrayspeed.cli.own.run import wanted_of
from arrayspeed.cli.showing import in_form, write_page
from arrayspeed.environments.machine import describe
from arrayspeed.formats.progress import clear, say
from arrayspeed.model.errors import UserError
from arrayspeed.own import soak_shown
from arrayspeed.own.compared import begun
from arrayspeed.own.script import Script
from arrayspeed.own.sides import Side, with_unique_labels
from arrayspeed.own.soak import soaks

#: The least seconds from which anything is learnt.
LEAST = 1


def add_arguments(parser: argparse._ActionsContainer) -> None:
    """Add the option."""
    parser.add_argument(
        "--soak",
        type=options.whole(LEAST, "a second"),
        metavar="SECONDS",
        help="with --file: call each function for so long in one process of each side, in turn, and say whether memory "
        "grows with every call or calls become slower",
    )


def soak(what: Script, sides: Sequence[Side], args: argparse.Namespace) -> int:
    """Call functions for a while, show what grew, and return the exit status.

    Raises
    ------
    UserError
        There is no file, or the page cannot be written.
    """
    if what.kind != "file":
        raise UserError("--soak goes with --file: it calls functions again and again with the same arguments")
    with begun(what, with_unique_labels(sides), wanted_of(what, args), say) as ((old, new), _, items):
        found = soaks(what, (old, new), items, args.soak, args.timeout, (args.factor, limits_of(args).limit), say)
    clear()
    title = f"{what.name}, {old.label} → {new.label}"
    report = soak_shown.Report(title, (old.label, new.label), args.soak, args.factor, describe()["machine"], found)
    in_form(
        args.format,
        table=lambda: soak_shown.as_table(report),
        markdown=lambda: soak_shown.as_markdown(report),
        json=lambda: soak_shown.as_json(report),
    )
    if args.html:
        write_page(args.html, soak_shown.as_page(report))
    return report.status
