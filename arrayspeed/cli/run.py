"""Measure a selection, or with --all everything.

It is measured in chunks, each of which is saved when it is finished. Filters narrow the selection; --all measures
everything in asv.conf.json, which takes days. Run again, it skips what already has a value from the same code: the
kernel's function and what that uses, its inputs, the library's adapter, the timing and the environment's packages.
--stale lists what has changed since a value was measured.

--selection versions measures all releases of each library side by side, taking turns every 20 ms, round after round
until each is decided against the newest; --selection backends does the same with all backends of an environment, until
each pair is decided. Run again, they continue where they stopped. The other selections make two rounds of all backends.

Examples:
    arrayspeed run --tier bench
    arrayspeed run --kernel matmul --backend jax-jit --size large
    arrayspeed run --selection versions --library numpy
"""

from __future__ import annotations

import argparse
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

from asv.config import Config

from arrayspeed.cli import options
from arrayspeed.cli.options import FORMATS
from arrayspeed.cli.options.cores import add_cores, use_cores
from arrayspeed.cli.options.device import TESTED, check_device
from arrayspeed.environments import existing
from arrayspeed.environments.machine import describe
from arrayspeed.environments.project import load_config
from arrayspeed.formats.fitting import Fitting, Shown, show
from arrayspeed.measure import asv_processes, backends, selections
from arrayspeed.measure.host import locked
from arrayspeed.measure.plan import Selection
from arrayspeed.measure.stale import Stale, stale
from arrayspeed.measure.tiers import kernels_of
from arrayspeed.model.errors import UserError
from arrayspeed.model.libraries import PYTHON
from arrayspeed.model.measures import MEASURES
from arrayspeed.model.names import check
from arrayspeed.model.units import plural
from arrayspeed.records.removal import remove
from kernels import BACKENDS, CATALOGUE, DEVICES, LIBRARIES
from kernels.catalogue import dtypes
from kernels.kernel import TIERS

#: How many kernels a line of --stale names.
SHOWN = 6


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``arrayspeed run``."""
    several: dict[str, Any] = {"action": "append", "default": [], "metavar": "NAME"}
    parser.add_argument(
        "--library",
        **several,
        help=f"one of {', '.join(LIBRARIES)}, or python; may be repeated, like the other filters",
    )
    parser.add_argument("--version", **several, help="the library's version, as in asv.conf.json")
    parser.add_argument(
        "--environment",
        **several,
        help="part of an environment's name, or existing[:PYTHON] for an existing interpreter",
    )
    parser.add_argument("--tier", choices=TIERS, help="only the kernels of a tier; each tier holds those before it")
    parser.add_argument("--kernel", **several, help="a kernel of `python -m kernels`")
    parser.add_argument("--backend", **several, help=f"one of {', '.join(BACKENDS)}")
    parser.add_argument(
        "--size", type=options.size, **several, help="a number, or small or large, which are each kernel's own"
    )
    parser.add_argument(
        "--device", **several, help=f"one of {', '.join(DEVICES)}, or several separated by commas; {TESTED}"
    )
    parser.add_argument("--dtype", **several, help="float64 or float32")
    parser.add_argument("--measure", **several, help=f"one of {', '.join(MEASURES)}")
    parser.add_argument(
        "--bench", type=options.regex, **several, help="regular expression on `family.kernel_dtype.measure(parameters)`"
    )
    parser.add_argument(
        "--selection",
        choices=tuple(selections.NAMED),
        help="a named selection: versions uses the environments with one library each, the others use the one with "
        "most libraries, unless --environment, --library or --version is given; of the other filters, only --tier goes "
        "with it",
    )
    parser.add_argument(
        "--rounds",
        type=options.whole(1),
        metavar="N",
        help="processes for each time (default 2); with --selection versions or backends, at most N rounds",
    )
    parser.add_argument(
        "--timeout", type=options.finite, metavar="S", help="end a process after S seconds (default 600)"
    )
    parser.add_argument(
        "--minutes", type=options.finite, metavar="N", help="start nothing that would last longer than N minutes in all"
    )
    add_cores(parser)
    parser.add_argument("--all", action="store_true", help="measure everything in asv.conf.json, which takes days")
    how = parser.add_mutually_exclusive_group()
    how.add_argument(
        "--stale",
        action="store_true",
        help="measure nothing: list the stored values that are out of date and why; exit status 1 if there are any",
    )
    parser.add_argument(
        "--machine",
        metavar="NAME",
        help="with --stale: the values of this machine, all its environments (default: this machine's, of the "
        "environments in asv.conf.json)",
    )
    parser.add_argument("--remove", action="store_true", help="with --stale: take what is listed out of the results")
    options.add_format(parser, what="of the list of --stale; ")
    how.add_argument("--again", action="store_true", help="also measure what is finished, and replace it")
    how.add_argument("--append", action="store_true", help="also measure what is finished, and add to its samples")


def main(args: argparse.Namespace) -> int:
    """Run ``arrayspeed run``."""
    chosen = selection(args)
    use_cores(args.cores)
    if (args.machine or args.remove) and not args.stale:
        raise UserError(f"--{'remove' if args.remove else 'machine'} goes with --stale")
    if args.remove and args.selection:
        raise UserError("--remove takes out all that the filters leave: --selection has no effect on it")
    check_all(args, chosen)
    config = load_config()
    if args.machine is None:  # of a machine that is named, names of environments are those of its results
        config, chosen.environments = existing.take(config, chosen.environments)
    if args.remove:
        return remove_stale(config, chosen, args.machine, args.wait, args.format)
    if args.stale:
        return show_stale(*stale(config, chosen, args.machine), form=args.format)
    parts = named(args, chosen, config)
    if parts is not None:
        return run_selection(config, parts, args)
    return asv_processes.run(
        config,
        [chosen],
        args.rounds,
        args.again,
        args.append,
        args.timeout,
        args.minutes or math.inf,
        args.wait,
    )


def run_selection(config: Config, parts: list[Selection], args: argparse.Namespace) -> int:
    """Measure a named selection, sides in turn; return the exit status.

    Raises
    ------
    UserError
        An option has no effect on it, or there is nothing to measure.
    """
    decided = args.selection in ("backends", "versions")
    if args.again or (args.append and decided):
        option = "--again" if args.again else "--append"
        what = "measures until all is decided" if decided else "adds rounds to those that there are"
        raise UserError(f"--selection {args.selection} {what}: {option} has no effect there")
    if not decided:
        minutes = args.minutes or math.inf
        rounds = args.rounds or asv_processes.ROUNDS
        return backends.run(config, parts, rounds, args.timeout, minutes, args.wait, args.append)
    # These import SciPy, which a run in an existing interpreter must not need.
    from arrayspeed.measure import backends_until_decided
    from arrayspeed.measure.looking import Limits
    from arrayspeed.versions import releases

    limits = Limits(args.rounds or Limits.rounds, args.minutes or math.inf)
    measure = releases.run if args.selection == "versions" else backends_until_decided.run
    return measure(config, parts, limits, args.timeout, args.wait)


def check_all(args: argparse.Namespace, chosen: Selection) -> None:
    """Whether everything is measured, and only where that was asked for.

    Raises
    ------
    UserError
        It was not, or something else was asked for too.
    """
    narrowed = chosen != Selection() or bool(args.selection)
    if args.all and (narrowed or args.stale):
        raise UserError("--all measures everything: it goes with no filter, --selection or --stale")
    if not (args.all or narrowed or args.stale or args.minutes):
        raise UserError(
            "everything in asv.conf.json takes days: choose with --tier bench, --kernel or another filter, set "
            "--minutes, or give --all"
        )


def show_stale(stale: list[Stale], count: int, removed: int | None = None, form: str = FORMATS[0]) -> int:
    """Print what is out of date of so many values; the exit status. ``removed``: files that it was taken out of.

    Raises
    ------
    UserError
        There are no values.
    """
    if not count:
        raise UserError("there are no stored values of what is selected, so none can be out of date")
    rows = []
    for each in stale:
        more = f" and {len(each.kernels) - SHOWN} more" if len(each.kernels) > SHOWN else ""
        shown = f"{', '.join(each.kernels[:SHOWN])}{more}"
        rows.append([each.environment, shown, each.why, plural(len(each.ones), "value")])
    lines = [] if stale else [f"none of {plural(count, 'value')} is out of date"]
    lines += [] if removed is None else [f"removed from {plural(removed, 'file')}"]
    data = {
        "values": count,
        "stale": [
            {"environment": each.environment, "kernels": each.kernels, "why": each.why, "values": len(each.ones)}
            for each in stale
        ],
        "removed_from": removed or 0,
    }
    if form == FORMATS[0]:  # a line each: names of environments are as wide as a terminal
        lines = [f"{name}: {shown}: {why} ({many})" for name, shown, why, many in rows] + lines
        rows = []
    show(Shown([Fitting(("environment", "kernels", "why", "values"), rows)] if rows else [], data, lines), form)
    return 1 if stale else 0


def remove_stale(config: Config, chosen: Selection, machine: str | None, wait: bool, form: str = FORMATS[0]) -> int:
    """Take what is out of date out of the results, and print it; the exit status.

    Raises
    ------
    UserError
        There are no values, another run is writing results, or a file is none of asv's; nothing is changed then.
    """
    with locked(Path(config.results_dir, ".lock"), f"writing {config.results_dir}", wait):
        found, count = stale(config, chosen, machine)
        ones = [one for each in found for one in each.ones]
        files = remove(Path(config.results_dir, machine or describe()["machine"]), ones) if ones else []
        show_stale(found, count, len(files) if ones else None, form)
    return 0


def named(args: argparse.Namespace, chosen: Selection, config: Config) -> list[Selection] | None:
    """Return the parts of the named selection in the environments asked for, or None where none is named.

    Raises
    ------
    UserError
        Other filters are given too.
    """
    if args.selection is None:
        return None
    where = {"environments": chosen.environments, "libraries": chosen.libraries, "versions": chosen.versions}
    if args.kernel or replace(chosen, environments=[], libraries=[], versions=[], kernels=[]) != Selection():
        raise UserError(
            "--selection can be combined with --environment, --library, --version and --tier, but with no other filter"
        )
    if not any(where.values()):
        where["environments"] = selections.WHERE[args.selection](config)
    parts = selections.NAMED[args.selection]
    tier = args.tier or ("core" if args.selection == "backends" else None)
    if tier:
        parts = selections.in_tier_only(parts, tier)
    return [replace(part, **where) for part in parts]


def selection(args: argparse.Namespace) -> Selection:
    """Return the selection of the arguments.

    Raises
    ------
    UserError
        A name is not valid; the message says what is.
    """
    devices = [name for names in args.device for name in names.split(",")]
    check("library", args.library, [*LIBRARIES, PYTHON])
    check("kernel", args.kernel, CATALOGUE)
    check("backend", args.backend, BACKENDS)
    check("device", devices, DEVICES)
    for device in devices:
        check_device(device, here=False)
    check("dtype", args.dtype, dtypes())
    check("measure", args.measure, MEASURES)
    return Selection(
        environments=args.environment,
        libraries=args.library,
        versions=args.version,
        kernels=kernels_of(args.tier, args.kernel) if args.tier else args.kernel,
        backends=args.backend,
        sizes=args.size,
        devices=devices,
        dtypes=args.dtype,
        measures=args.measure,
        patterns=args.bench,
    )
