"""Show how a library changed over its releases: every kernel and backend, the steps, and the release of each.

It reads results/, of environments that measure one library each: `arrayspeed run --selection versions` fills it.
A step is asv's, of a tenth or more, and more than three standard deviations of the noise between processes.
"""

from __future__ import annotations

import json
from dataclasses import asdict

import polars as pl
from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text

from arrayspeed import results
from arrayspeed.audit.check import with_audit
from arrayspeed.errors import UserError
from arrayspeed.processes import noise
from arrayspeed.project import load_config
from arrayspeed.terminal import console
from arrayspeed.text import printable
from arrayspeed.units import human
from arrayspeed.versions import FACTOR, Series, order, over_versions
from kernels import BACKENDS, CATALOGUE, LIBRARIES
from kernels.catalogue import choose

MEASURES = ("time_call", "track_first_call", "track_error", "timeraw_import")


def add_arguments(parser) -> None:
    """The options of ``arrayspeed versions``."""
    several = {"action": "append", "default": [], "metavar": "NAME"}
    parser.add_argument("library", metavar="LIBRARY", help=f"one of {', '.join(LIBRARIES)}")
    parser.add_argument("--measure", choices=MEASURES, default="time_call", help="default time_call")
    parser.add_argument("--kernel", **several, help="a kernel of `python -m kernels`; may be repeated")
    parser.add_argument("--backend", **several, help=f"one of {', '.join(BACKENDS)}; may be repeated")
    parser.add_argument("--machine", metavar="NAME", help="default: this one, else the one measured last")
    parser.add_argument(
        "--factor",
        type=float,
        default=FACTOR,
        metavar="F",
        help=f"show steps of at least this factor (default {FACTOR})",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def main(args) -> int:
    """Run ``arrayspeed versions``."""
    check(args)
    folder = load_config().results_dir
    table = results.load(folder)
    machine = results.choose_machine(table, args.machine)
    known = with_audit(folder, machine, noise(folder, table.filter(pl.col("alone"), machine=machine)))
    series = [
        one
        for one in over_versions(table.filter(machine=machine, measure=args.measure), args.library, known, args.factor)
        if (not args.kernel or one.kernel in args.kernel) and (not args.backend or one.backend in args.backend)
    ]
    if not series:
        raise UserError(
            f"no {args.measure} of {args.library} alone on {machine}: "
            f"arrayspeed run --selection versions --library {args.library}"
        )
    if args.json:
        data = {"machine": machine, "library": args.library, "series": list(map(asdict, series))}
        print(json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False))
    else:
        console(200).print(report(series, args.library, args.measure, machine))
    return 0


def check(args) -> None:
    """Whether the names are names.

    Raises
    ------
    UserError
        One is not; the message says what would be.
    """
    try:
        choose("library", args.library, LIBRARIES)
        for kind, names, valid in (("kernel", args.kernel, CATALOGUE), ("backend", args.backend, BACKENDS)):
            for name in names:
                choose(kind, name, valid)
    except ValueError as error:
        raise UserError(str(error)) from error
    if not args.factor > 1:
        raise UserError(f"--factor {args.factor:g} is not valid: 1.1 shows steps of 10 % and more")


def report(series: list[Series], library: str, measure: str, machine: str) -> Group:
    """The series, a row each, and the steps, the largest first."""
    releases = sorted({point.version for one in series for point in one.points}, key=order)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for heading in ("kernel", "backend", *releases):
        table.add_column(printable(heading), justify="left" if heading in ("kernel", "backend") else "right")
    for one in series:
        changed = {step.version: step for step in one.steps}
        points = {point.version: point for point in one.points}
        values = (cell(points.get(version), changed.get(version), measure) for version in releases)
        table.add_row(printable(title(one)), printable(one.backend), *values)
    steps = sorted(((one, step) for one in series for step in one.steps), key=lambda pair: -size(pair[1]))
    lines = [
        Text(
            f"{step.version:>8}  {printable(title(one))} {printable(one.backend)}: ×{step.ratio:.2f}  "
            f"({human(step.before, measure)} → {human(step.after, measure)})",
            style="red" if step.ratio > 1 else "green",
        )
        for one, step in steps
    ]
    heading = Text(f"{library}, {measure}, on {printable(machine)}", style="bold")
    count = Text(
        f"{len(steps)} steps in {len(series)} series" + (", the largest first:" if steps else ""), style="bold"
    )
    return Group(heading, table, count, *lines)


def size(step) -> float:
    """How large a step is, up or down."""
    return max(step.ratio, 1 / step.ratio)


def title(one: Series) -> str:
    """Kernel and size, and the precision where it is not the usual one."""
    parts = [
        one.kernel,
        *([f"{one.size:,}"] if one.size is not None else []),
        *(["float32"] * (one.dtype == "float32")),
    ]
    return " ".join(parts)


def cell(point, step, measure: str) -> Text:
    """A value, marked where a step came with this release."""
    if point is None:
        return Text("n/a", style="dim")
    text = Text(human(point.value, measure))
    if step:
        text = Text(f"{'▲' if step.ratio > 1 else '▼'} ").append_text(text)
        text.stylize("red" if step.ratio > 1 else "green")
    return text
