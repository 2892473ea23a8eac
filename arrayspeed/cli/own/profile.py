"""``arrayspeed explain … --profile``: where the time of own code goes on two sides."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from arrayspeed.cli import options
from arrayspeed.cli.own.run import wanted_of
from arrayspeed.cli.showing import in_form, write_page
from arrayspeed.environments.machine import describe
from arrayspeed.environments.requirements import name_of
from arrayspeed.explain import sampling, show_profile
from arrayspeed.explain.profiled import FEWEST_ROUNDS, ROUNDS, profiles
from arrayspeed.formats.progress import clear, say
from arrayspeed.model.errors import UserError
from arrayspeed.own.compared import begun
from arrayspeed.own.script import Script
from arrayspeed.own.sides import Ready, Side


def add_arguments(parser: argparse._ActionsContainer) -> None:
    """Add the options of a profile."""
    parser.add_argument(
        "--profile",
        action="store_true",
        help="with --file: sample both sides, native code too, and show which functions and shared libraries take "
        "longer (needs py-spy: pip install 'arrayspeed[profile]')",
    )
    parser.add_argument(
        "--rounds",
        type=options.whole(FEWEST_ROUNDS, "fewer processes say too little about noise"),
        metavar="N",
        help=f"with --profile: processes of each side (default {ROUNDS})",
    )
    parser.add_argument(
        "--html", type=options.new_file, metavar="FILE", help="with --profile: also write a page with flame graphs"
    )


def check(args: argparse.Namespace) -> None:
    """Whether the options of a profile have one.

    Raises
    ------
    UserError
        They have not, or the system does not allow it.
    """
    if args.profile:
        if args.diff:
            raise UserError("--diff shows lines of programs, and --profile makes none: one of them")
        sampling.check()
        return
    for option in ("rounds", "html"):
        if getattr(args, option):
            raise UserError(f"--{option} goes with --profile")


def profile(
    what: Script, sides: Sequence[Side], labels: tuple[str, str], library: str, args: argparse.Namespace
) -> int:
    """Sample, show what grew, and return the exit status.

    Raises
    ------
    UserError
        The file or the sides are none, or the page cannot be written.
    """
    rounds = args.rounds or ROUNDS
    with begun(what, sides, wanted_of(what, args), say) as ((old, new), _, items):
        found = profiles(what, (old, new), items, rounds, args.timeout, say)
    clear()
    others = packages_that_differ(old, new, library)
    outcome = show_profile.Report(library, *labels, describe()["machine"], others, found, rounds)
    in_form(
        args.format,
        table=lambda: show_profile.as_table(outcome),
        markdown=lambda: show_profile.as_markdown(outcome),
        json=lambda: show_profile.as_json(outcome),
    )
    if args.html:
        write_page(args.html, show_profile.as_page(outcome))
    return outcome.status


def packages_that_differ(old: Ready, new: Ready, library: str) -> dict[str, tuple[str | None, str | None]]:
    """Return the packages that differ between two sides, but for what is compared."""
    return {
        name: (old.packages.get(name), new.packages.get(name))
        for name in sorted(old.packages.keys() | new.packages.keys(), key=str.lower)
        if old.packages.get(name) != new.packages.get(name) and not (library and name_of(name) == name_of(library))
    }
