"""Show how a library changed over its releases.

Every kernel and backend is shown relative to one release, and the steps between neighbours. It reads the results in
results/ of environments with one library each; `arrayspeed run --selection versions` measures all releases of a library
side by side. Each ratio has its 95 % interval. A step lies between two neighbouring releases that are shown to differ
by more than the factor, judged over all comparisons of the library together, or one of which fails.

Examples:
    arrayspeed versions jax
    arrayspeed versions numpy --kernel sort --kernel fft
    arrayspeed versions torch --measure track_first_call --format json
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import Any

import polars as pl
from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderResult
from rich.padding import Padding
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
from arrayspeed.formats.fitting import fits
from arrayspeed.formats.tables import markdown_table, markdown_text
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

#: The width of what is no terminal: that of a column of every release.
PIPED = 400


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``arrayspeed versions``."""
    several: dict[str, Any] = {"action": "append", "default": [], "metavar": "NAME"}
    parser.add_argument("library", metavar="LIBRARY", help=f"one of {', '.join(LIBRARIES)}, or python")
    parser.add_argument(
        "--measure", choices=tuple(MEASURES), metavar="M", default=CALL.name, help=f"one of {', '.join(MEASURES)}"
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
    options.add_format(parser, json_flag=True)


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
    if args.format == "json":
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
        return 0
    heading = f"{args.library}, {args.measure}, on {printable(machine)}"
    known = explanations(folder, machine)
    if args.format == "markdown":
        print(markdown(found, means_of(both), heading, args.library, known))
    else:
        console(PIPED).print(report(found, means_of(both), heading, args.library, known))
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


def means_of(both: list[tuple[Measured, Series]]) -> dict[str, tuple[str, Mapping[str, Mean]]]:
    """Backend -> the anchor, and geometric means over what is shown of it by release."""
    backends = dict.fromkeys(series.backend for _, series in both)
    found = {name: means(one for one, series in both if series.backend == name) for name in backends}
    return {name: (anchor, over) for name, (anchor, over) in found.items() if over}


#: Backend -> the anchor, and geometric means over what is shown of it by release.
Means = Mapping[str, tuple[str, Mapping[str, Mean]]]


def report(
    series: list[Series],
    over: Means,
    heading: str,
    library: str,
    known: Mapping[tuple[Any, ...], dict[str, Any]] = MappingProxyType({}),
) -> Group:
    """Means and series, a row each, and the steps, failures first and then the largest; ``known``: explanations."""
    steps = steps_of(series)
    lines = [
        Padding(Text(step_text(one, step) + program_text(one, step, library, known), style=style(step.verdict)), INDENT)
        for one, step in steps
    ]
    return Group(
        Text(heading, style="bold"),
        Releases(series, over),
        *(Text(line, look) for line, look in notes(series, library)),
        Text(counted(steps, series), style="bold"),
        *lines,
    )


#: Of a step's line.
INDENT = (0, 0, 0, 2)


def steps_of(series: list[Series]) -> list[tuple[Series, Step]]:
    """Return all steps, failures first and then the largest."""
    return sorted(((one, step) for one in series for step in one.steps), key=lambda pair: -size(pair[1]))


def counted(steps: list[tuple[Series, Step]], series: list[Series]) -> str:
    """Return how many steps there are."""
    return f"{len(steps)} steps in {len(series)} series" + (", the largest first:" if steps else "")


@dataclass(frozen=True)
class Releases:
    """A row of each series, and a column of each release.

    Where they do not fit, intervals are left out, and the releases are in several tables, one below the other.
    """

    series: list[Series]
    over: Means

    @property
    def names(self) -> list[str]:
        """The releases, in their order."""
        return sorted({point.version for one in self.series for point in one.points}, key=order)

    def __rich_console__(self, on: Console, options: ConsoleOptions) -> RenderResult:
        """Draw it."""
        whole = self.table(self.names)
        if fits(whole, on, options):
            yield whole
            return
        left = self.names
        while left:
            count = next((n for n in range(len(left), 1, -1) if fits(self.table(left[:n], False), on, options)), 1)
            yield self.table(left[:count], False)
            left = left[count:]
        yield Text("Intervals are left out here: a wider terminal or --format json shows them.", style="dim")

    def table(self, releases: Sequence[str], intervals: bool = True) -> Table:
        """Return the table of some releases."""
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
        for place, name in enumerate(("kernel", "backend", *releases)):
            table.add_column(printable(name), justify="right" if place > 1 else "left", overflow="fold")
        for name, cells in self.means(releases, intervals):
            table.add_row("geometric mean", printable(name), *map(Text, cells), style="bold")
        for one in self.series:
            changed = {step.version: step for step in one.steps}
            points = {point.version: point for point in one.points}
            row = (cell(points.get(name), changed.get(name), one.measure, intervals) for name in releases)
            table.add_row(printable(title(one)), printable(one.backend), *row)
        return table

    def means(self, releases: Sequence[str], intervals: bool = True) -> Iterator[tuple[str, list[str]]]:
        """Yield each backend and its geometric means in some releases."""
        for backend, (anchor, by_release) in self.over.items():
            yield (
                backend,
                [ANCHOR if name == anchor else mean_text(by_release.get(name), intervals) for name in releases],
            )


def markdown(
    series: list[Series],
    over: Means,
    heading: str,
    library: str,
    known: Mapping[tuple[Any, ...], dict[str, Any]] = MappingProxyType({}),
) -> str:
    """Return the same for a pull request."""
    table = Releases(series, over)
    releases = table.names
    rows = [["geometric mean", backend, *cells] for backend, cells in table.means(releases)]
    for one in series:
        changed = {step.version: step for step in one.steps}
        points = {point.version: point for point in one.points}
        cells = (cell(points.get(name), changed.get(name), one.measure).plain for name in releases)
        rows.append([title(one), one.backend, *cells])
    steps = steps_of(series)
    lines = [f"- {step_text(one, step)}{program_text(one, step, library, known)}" for one, step in steps]
    return "\n".join(
        [
            *(f"**{markdown_text(heading)}**", ""),
            *markdown_table(["kernel", "backend", *releases], rows),
            *(f"{markdown_text(line.strip())}  " for line, _ in notes(series, library)),
            *("", counted(steps, series), ""),
            *map(markdown_text, lines),
        ]
    )


def program_text(series: Series, step: Step, library: str, known: Mapping[tuple[Any, ...], dict[str, Any]]) -> str:
    """Return whether the program changed with a step, where that is known."""
    where = series.kernel, series.dtype, series.backend, series.size, series.device
    row = known.get((library, step.before, step.version, *where))
    return f"; program: {row['verdict']}" if row else ""


def notes(series: list[Series], library: str) -> list[tuple[str, str]]:
    """Return what a reader must know about the numbers, each with its style."""
    lines = [("Ratios are to the release whose value is shown; intervals are of 95 %; ▲▼ mark steps.", "")]
    apart = sum(not one.side_by_side for one in series)
    if apart:
        some = "None of it was" if apart == len(series) else f"{apart} of {len(series)} series were not"
        what = f"measured side by side ({APART}): the machine's speed may have changed between releases"
        lines.append((f"{some} {what}, so only large steps are shown. To measure it side by side:", "yellow"))
        lines.append((f"  {to_measure(library)}", ""))
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


def cell(point: Point | None, step: Step | None, measure: str, intervals: bool = True) -> Text:
    """Return a ratio, with its interval, or the anchor's value; marked where a step came with this release."""
    if point is None:
        return Text("n/a", style="dim")
    if point.value is None:
        text = Text("failed")
    elif point.verdict == ANCHOR or point.ratio is None:
        text = Text(human(point.value, measure))
    else:
        text = Text(("" if point.side_by_side else APART) + shortened(ratio_text(point), intervals))
    if step:
        text = Text(f"{mark(step)} ").append_text(text)
        text.stylize(style(step.verdict))
    elif point.verdict in (*ALIKE, *OPEN):
        text.stylize("dim")
    return text


def mark(step: Step) -> str:
    """Up or down: less is better."""
    return "▲" if step.worse else "▼"


def mean_text(mean: Mean | None, intervals: bool = True) -> str:
    """Return a geometric mean, with its interval and how many combinations it is over."""
    if mean is None:
        return ""
    return f"{ratio_text(mean)} of {mean.comparisons}" if intervals else shortened(ratio_text(mean), False)


def shortened(text: str, intervals: bool) -> str:
    """Return a ratio as it is, or without its interval."""
    return text if intervals else text.partition(" (")[0]


def step_text(series: Series, step: Step) -> str:
    """One step in a line."""
    what = f"{printable(step.version)}  {printable(title(series))} {printable(series.backend)}: {step.verdict}"
    if step.ratio is not None:
        what += f" {ratio_text(step)}"
    values = f"{human(step.value_before, series.measure)} → {human(step.value, series.measure)}"
    rounds = f"{step.rounds} rounds" if step.side_by_side else "not measured side by side"
    failures = ""
    if step.failed or step.failed_before:
        failures = f", failed {step.failed} of {step.processes} against {step.failed_before} of {step.processes_before}"
    faults = faults_text(step.faults_before, step.faults)
    return f"{what}, after {printable(step.before)} ({values}, {rounds}{failures}{faults and f', {faults}'})"
