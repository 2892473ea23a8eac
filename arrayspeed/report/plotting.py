"""Which charts are drawn of the results, and the files that they become: what ``arrayspeed plots`` does."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from arrayspeed.decide.compare import Level
from arrayspeed.environments.project import load_config
from arrayspeed.model.errors import UserError
from arrayspeed.model.text import file_name, printable
from arrayspeed.records import results
from arrayspeed.records.levels import Case, Place, best_of, compared, inverse, levels_of, with_intervals
from arrayspeed.report import charts, heatmap
from kernels import BACKENDS, CATALOGUE, DEVICES
from kernels.catalogue import choose, dtypes

LevelsAt = Mapping[Place, Mapping[Case, Level]]


@dataclass(frozen=True)
class Plot:
    """What one chart shows: results of one environment, kernel, size and dtype, and their levels."""

    kernel: str
    size: int
    label: str
    dtype: str
    table: pl.DataFrame
    levels: Mapping[Case, Level]

    @property
    def cases(self) -> dict[tuple[str, str], Case]:
        """What has a level, by backend and device."""
        return {
            (case.backend, case.device): case
            for case in self.levels
            if (case.kernel, case.size, case.dtype, case.measure) == (self.kernel, self.size, self.dtype, self.measure)
            and case.device in DEVICES
            and case.backend in BACKENDS
        }

    @property
    def measure(self) -> str:
        """What was measured."""
        return self.table["measure"][0]


def main(args: Namespace) -> int:
    """Draw what the options of ``arrayspeed plots`` choose; returns the exit status.

    Raises
    ------
    UserError
        An option means nothing, there are no such results, or the files cannot be written.
    """
    folder = Path(args.output_dir).absolute()  # before the project's root becomes the current directory
    check(args)
    results_dir = load_config().results_dir
    table = results.load(results_dir)
    machine = results.choose_machine(table, args.machine)
    levels = levels_of(table.filter(machine=machine), results_dir)
    table = table.filter(
        pl.col("device").is_in([args.device] if args.device else DEVICES), machine=machine, measure=args.measure
    )
    plots = list(chosen(with_intervals(table, levels), levels, args))
    if not plots:
        raise UserError(nothing(machine, args))
    devices = [args.device] if args.device else [d for d in DEVICES if d in measured(table)["device"].unique()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        files = [
            path
            for plot in plots
            for path in charts.save(draw(plot, devices, machine, args), target(folder, plot, args))
        ]
        files += [
            path for label in ("small", "large") for path in summary(folder, plots, label, devices, machine, args)
        ]
    except OSError as error:
        raise UserError(f"cannot write to {printable(str(folder))}: {error.strerror or error}") from error
    print(f"{len(files)} files in {printable(str(folder))}: {len(plots)} charts and the summaries, as SVG and PNG")
    return 0


def check(args: Namespace) -> None:
    """Refuse names that mean nothing.

    Raises
    ------
    UserError
        One is not known; its message says what is.
    """
    try:
        choose("measure", args.measure, tuple(charts.MEASURES))
        if args.device is not None:
            choose("device", args.device, DEVICES)
        if args.dtype is not None:
            choose("dtype", args.dtype, dtypes())
        for kernel in args.kernel or ():
            choose("kernel", kernel, tuple(CATALOGUE))
    except ValueError as error:
        raise UserError(str(error)) from error


def nothing(machine: str, args: Namespace) -> str:
    """That there is nothing to draw, and what to run."""
    options = [f"--kernel {kernel}" for kernel in args.kernel or ()]
    options += [f"--{name} {value}" for name in ("device", "dtype") if (value := getattr(args, name))]
    command = " ".join(["arrayspeed run", *options, f"--measure {args.measure}"])
    return f"no such results of machine {printable(machine)}: run `{command}` first"


def measured(table: pl.DataFrame) -> pl.DataFrame:
    """The rows that have a value."""
    return table.filter(pl.col("value").is_not_null())


def chosen(table: pl.DataFrame, levels: LevelsAt, args: Namespace) -> Iterator[Plot]:
    """Every kernel and size that has a value, in the catalogue's order."""
    for kernel in dict.fromkeys(args.kernel or CATALOGUE):
        of_kernel = table.filter(kernel=kernel)
        dtypes = measured(of_kernel)["dtype"].unique().to_list()
        dtype = args.dtype or next((dtype for dtype in CATALOGUE[kernel].dtypes if dtype in dtypes), None)
        if dtype in dtypes:
            yield from of_sizes(kernel, dtype, of_kernel.filter(dtype=dtype), levels, args.all_sizes)


def of_sizes(kernel: str, dtype: str, table: pl.DataFrame, levels: LevelsAt, all_sizes: bool) -> Iterator[Plot]:
    """The sizes of a kernel that have a value."""
    names = {CATALOGUE[kernel].large: "large", CATALOGUE[kernel].small: "small"}
    for size in sorted(measured(table)["size"].unique()):
        if all_sizes or size in names:
            of_size = charts.best_environment(table.filter(size=size))
            known = levels.get((of_size["machine"][0], of_size["environment"][0]), {})
            yield Plot(kernel, size, names.get(size, str(size)), dtype, of_size, known)


def target(folder: Path, plot: Plot, args: Namespace) -> Path:
    """A chart's files without their suffix: ``elementwise_float64_small``."""
    return folder / file_name(plot.kernel, plot.dtype, plot.label, *given(args))


def given(args: Namespace) -> list[str]:
    """The options that a file's name tells, where they are not the usual ones."""
    return [*([args.device] if args.device else []), *([args.measure] if args.measure != "time_call" else [])]


def where(dtype: str, devices: list[str], machine: str) -> str:
    """Precision, device and machine, as a line."""
    return f"{dtype} · {' and '.join(devices)} · {machine}"


def draw(plot: Plot, devices: list[str], machine: str, args: Namespace):
    """One kernel's chart."""
    bars = charts.backend_rows(plot.table, devices)
    lines = [
        CATALOGUE[plot.kernel].summary,
        where(plot.dtype, devices, machine),
        charts.versions_line(plot.table),
        *best_line(plot, devices),
        *charts.other_ways_line(bars),
    ]
    return charts.backends_chart(bars, args.measure, f"{plot.kernel}, size {plot.size:,}", lines)


def best_line(plot: Plot, devices: list[str]) -> list[str]:
    """All that cannot be told apart from the best, as a line; no line where nothing competes."""
    cases = [case for case in plot.cases.values() if case.device in devices]
    if len(cases) < 2:
        return []
    best = best_of(cases, plot.levels)
    names = [f"{case.backend}, {case.device}" if len(devices) > 1 else case.backend for case in best]
    told = f"Best: {names[0]}" if len(names) == 1 else f"Best, and not told apart: {'; '.join(names)}"
    return [told]


def summary(
    folder: Path, plots: list[Plot], label: str, devices: list[str], machine: str, args: Namespace
) -> list[Path]:
    """The files of a summary; none where no kernel was measured at such a size."""
    of_label = [plot for plot in plots if plot.label == label]
    if not of_label:
        return []
    cells = [cell for plot in of_label for cell in cells_of(plot, devices)]
    dtypes = " and ".join(dict.fromkeys(plot.dtype for plot in of_label))
    lines = [
        where(dtypes, devices, machine),
        charts.versions_line(pl.concat(plot.table for plot in of_label)),
        "Beneath each ratio: its 95 % interval, and the value. = is shown to be the same, ? is unclear",
    ]
    if any(cell.other_way and cell.ratio for cell in cells):
        lines.append(f"{charts.OTHER_WAY} compares two ways of computing: finite differences and what the kernel says")
    title = f"{label.capitalize()} sizes: {charts.MEASURES[args.measure]}, and its ratio to NumPy's"
    chart = heatmap.summary_chart(cells, args.measure, title, lines)
    return charts.save(chart, folder / file_name("summary", *([args.dtype] if args.dtype else []), label, *given(args)))


def cells_of(plot: Plot, devices: list[str]) -> list[heatmap.Cell]:
    """A kernel's row of the summary; what it is compared with is NumPy on the CPU."""
    cases = plot.cases
    numpy = cases.get(("numpy", "cpu"))
    ratios = {
        where: inverse(compared(case, numpy, plot.levels)) for where, case in cases.items() if numpy and case != numpy
    }
    return heatmap.summary_cells(f"{plot.kernel} {plot.size:,}", charts.backend_rows(plot.table, devices), ratios)
