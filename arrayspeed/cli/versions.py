"""Show how a library changed over its releases: every kernel and backend relative to one release, and the steps.

It reads the results in results/ of environments with one library each; `arrayspeed run --selection versions` measures
all releases of a library side by side. Each ratio has its 95 % interval. A step lies between two neighbouring releases
that are shown to differ by more than the factor, judged over all comparisons of the library together, or one of which
fails.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import asdict
from types import MappingProxyType
from typing import Any

import polars as pl
from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text

from arrayspeed.cli import options
from arrayspeed.decide import FACTOR
from arrayspeed.decide.looks import FAILURES
from arrayspeed.decide.means import Mean
from arrayspeed.decide.words import ALIKE, OPEN
from arrayspeed.environments.project import load_config
from arrayspeed.explain.stored import load as explanations
from arrayspeed.formats.data import as_json
from arrayspeed.formats.terminal import console
from arrayspeed.formats.verdicts import faults_text, ratio_text, style
from arrayspeed.model.errors import UserError
from arrayspeed.model.libraries import PYTHON
from arrayspeed.model.measures import CALL, MEASURES
from arrayspeed.model.names import check
from arrayspeed.model.text import printable
from arrayspeed.model.units import human
from arrayspeed.records import results
from arrayspeed.versions.history import Measured, by_python, measured, order
from arrayspeed.versions.steps import ANCHOR, Point, Series, Step, means, over_versions
from kernels import BACKENDS, CATALOGUE, LIBRARIES

#: Before a ratio of releases that were not measured side by side.
APART = "~"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``arrayspeed versions``."""
    several: dict[str, Any] = {"action": "append", "default": [], "metavar": "NAME"}
    parser.add_argument("library", metavar="LIBRARY", help=f"one of {', '.join(LIBRARIES)}, or python")
    parser.add_argument(
        "--measure", choices=MEASURES, metavar="M", default=CALL.name, help=f"one of {', '.join(MEASURES)}"
    )
    parser.add_argument("--kernel", **several, help="a kernel of `python -m kernels`; may be repeated")
    parser.add_argument("--backend", **several, help=f"one of {', '.join(BACKENDS)}; may be repeated")
    parser.add_argument("--machine", metavar="NAME", help="default: this machine, else the one measured last")
    parser.add_argument(
        "--factor",
        type=options.factor,
        default=FACTOR,
        metavar="F",
        help=f"the ratio that you would act on: only larger steps are shown (default {FACTOR})",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def main(args: argparse.Namespace) -> int:
    """Run ``arrayspeed versions``."""
    check_arguments(args)
    folder = load_config().results_dir
    table = results.load(folder)
    machine = results.choose_machine(table, args.machine)
    # The newest Python in which it was measured: in another, more than its version differs.
    (_, part), *_ = by_python(table.filter(pl.col("machine") == machine), args.library)
    every = measured(folder, part, args.library)
    # Judged together, whatever is shown: a choice of rows changes no verdict.
    both = [
        (one, series)
        for one, series in zip(every, over_versions(every, args.factor), strict=True)
        if series.measure == args.measure
        and (not args.kernel or series.kernel in args.kernel)
        and (not args.backend or series.backend in args.backend)
    ]
    if not both:
        raise UserError(
            f"no {args.measure} of {args.library} alone on {machine}; to measure it: {to_measure(args.library)}"
        )
    found = [series for _, series in both]
    if args.json:
        together = all(one.side_by_side for one in found)
        data = {
            "machine": machine,
            "library": args.library,
            "factor": args.factor,
            "side_by_side": together,
            "to_measure": None if together else to_measure(args.library),
            "series": list(map(asdict, found)),
        }
        print(as_json(data))
    else:
        heading = f"{args.library}, {args.measure}, on {printable(machine)}"
        known = explanations(folder, machine)
        console(200).print(report(found, means_of(both), heading, args.library, known))
    return 0


def to_measure(library: str) -> str:
    """Return the command that measures all releases of a library side by side."""
    return f"arrayspeed run --selection versions --library {library}"


def check_arguments(args: argparse.Namespace) -> None:
    """Whether the names are names, and the factor is one.

    Raises
    ------
    UserError
        One is not; the message says what would be.
    """
    check("library", [args.library], [*LIBRARIES, PYTHON])
    check("kernel", args.kernel, CATALOGUE)
    check("backend", args.backend, BACKENDS)


def means_of(both: list[tuple[Measured, Series]]) -> dict[str, tuple[str, dict[str, Mean]]]:
    """Backend -> the anchor, and geometric means over what is shown of it by release."""
    backends = dict.fromkeys(series.backend for _, series in both)
    found = {name: means(one for one, series in both if series.backend == name) for name in backends}
    return {name: (anchor, over) for name, (anchor, over) in found.items() if over}


def report(
    series: list[Series],
    over: dict[str, tuple[str, dict[str, Mean]]],
    heading: str,
    library: str,
    known: Mapping[tuple[Any, ...], dict[str, Any]] = MappingProxyType({}),
) -> Group:
    """Means and series, a row each, and the steps, failures first and then the largest; ``known``: explanations."""
    releases = sorted({point.version for one in series for point in one.points}, key=order)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for name in ("kernel", "backend", *releases):
        table.add_column(printable(name), justify="left" if name in ("kernel", "backend") else "right")
    for backend, (anchor, by_release) in over.items():
        cells = (Text(ANCHOR if version == anchor else mean_text(by_release.get(version))) for version in releases)
        table.add_row("geometric mean", printable(backend), *cells, style="bold")
    for one in series:
        changed = {step.version: step for step in one.steps}
        points = {point.version: point for point in one.points}
        cells = (cell(points.get(version), changed.get(version), one.measure) for version in releases)
        table.add_row(printable(title(one)), printable(one.backend), *cells)
    steps = sorted(((one, step) for one in series for step in one.steps), key=lambda pair: -size(pair[1]))
    lines = [
        Text(step_text(one, step) + program_text(one, step, library, known), style=style(step.verdict))
        for one, step in steps
    ]
    count = f"{len(steps)} steps in {len(series)} series" + (", the largest first:" if steps else "")
    return Group(Text(heading, style="bold"), table, *notes(series, library), Text(count, style="bold"), *lines)


def program_text(series: Series, step: Step, library: str, known: Mapping[tuple[Any, ...], dict[str, Any]]) -> str:
    """Return whether the program changed with a step, where that is known."""
    where = series.kernel, series.dtype, series.backend, series.size, series.device
    row = known.get((library, step.before, step.version, *where))
    return f"; program: {row['verdict']}" if row else ""


def notes(series: list[Series], library: str) -> list[Text]:
    """Return what a reader must know about the numbers."""
    lines = [Text("Ratios are to the release whose value is shown, with 95 % intervals; ▲▼ mark steps.")]
    apart = sum(not one.side_by_side for one in series)
    if apart:
        some = "None of it was" if apart == len(series) else f"{apart} of {len(series)} series were not"
        what = f"measured side by side ({APART}): the machine's speed may have changed between releases"
        lines.append(Text(f"{some} {what}, so only large steps are shown. To measure it side by side:", "yellow"))
        lines.append(Text(f"  {to_measure(library)}"))
    return lines


def size(step: Step) -> float:
    """Return how large a step is, up or down; a failure is larger than any."""
    return max(step.ratio, 1 / step.ratio) if step.ratio and step.verdict not in FAILURES else float("inf")


def title(series: Series) -> str:
    """Kernel, size and device, and the precision where it is not the usual one."""
    parts = [
        series.kernel,
        *([f"{series.size:,}"] if series.size is not None else []),
        *(["float32"] * (series.dtype == "float32")),
        *([series.device] if series.device not in (None, "cpu") else []),
    ]
    return " ".join(parts)


def cell(point: Point | None, step: Step | None, measure: str) -> Text:
    """Return a ratio with its interval, or the anchor's value; marked where a step came with this release."""
    if point is None:
        return Text("n/a", style="dim")
    if point.value is None:
        text = Text("failed")
    elif point.verdict == ANCHOR or point.ratio is None:
        text = Text(human(point.value, measure))
    else:
        text = Text(("" if point.side_by_side else APART) + ratio_text(point))
    if step:
        text = Text(f"{mark(step)} ").append_text(text)
        text.stylize(style(step.verdict))
    elif point.verdict in (*ALIKE, *OPEN):
        text.stylize("dim")
    return text


def mark(step: Step) -> str:
    """Up or down: less is better."""
    return "▲" if step.worse else "▼"


def mean_text(mean: Mean | None) -> str:
    """Return a geometric mean with its interval, and how many combinations it is over."""
    return "" if mean is None else f"{ratio_text(mean)} of {mean.comparisons}"


def step_text(series: Series, step: Step) -> str:
    """One step in a line."""
    what = f"{printable(step.version):>8}  {printable(title(series))} {printable(series.backend)}: {step.verdict}"
    if step.ratio is not None:
        what += f" {ratio_text(step)}"
    values = f"{human(step.value_before, series.measure)} → {human(step.value, series.measure)}"
    rounds = f"{step.rounds} rounds" if step.side_by_side else "not measured side by side"
    failures = ""
    if step.failed or step.failed_before:
        failures = f", failed {step.failed} of {step.processes} against {step.failed_before} of {step.processes_before}"
    faults = faults_text(step.faults_before, step.faults)
    return f"{what}, after {printable(step.before)} ({values}, {rounds}{failures}{faults and f', {faults}'})"
