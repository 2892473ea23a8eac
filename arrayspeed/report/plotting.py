"""Which charts are drawn of the results, and the files that they become: what ``arrayspeed plots`` does."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

import altair as alt
import polars as pl

from arrayspeed.environments.project import load_config
from arrayspeed.model.errors import UserError
from arrayspeed.model.measures import CALL, MEASURES
from arrayspeed.model.names import check
from arrayspeed.model.text import file_name, printable
from arrayspeed.records import results
from arrayspeed.records.levels import MEASURED_APART, TWO_TIMES, compared, inverse, levels_of, with_intervals
from arrayspeed.report import charts, heatmap
from arrayspeed.report.backends import BASELINE, BASELINE_DEVICE
from arrayspeed.report.shown import Shown, measured, shown
from kernels import CATALOGUE, DEVICES
from kernels.catalogue import dtypes


def main(args: Namespace) -> int:
    """Draw what the options of ``arrayspeed plots`` choose; returns the exit status.

    Raises
    ------
    UserError
        An option means nothing, there are no such results, or the files cannot be written.
    """
    folder = Path(args.output_dir).absolute()  # before the project's root becomes the current directory
    check_names(args)
    results_dir = load_config().results_dir
    table = results.load(results_dir)
    machine = results.choose_machine(table, args.machine)
    levels = levels_of(table.filter(machine=machine), results_dir)
    table = table.filter(
        pl.col("device").is_in([args.device] if args.device else DEVICES), machine=machine, measure=args.measure
    )
    plots = list(shown(with_intervals(table, levels), levels, args.kernel or (), args.dtype, args.all_sizes))
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


def check_names(args: Namespace) -> None:
    """Refuse names that mean nothing.

    Raises
    ------
    UserError
        One is not known; its message says what is.
    """
    check("measure", [args.measure], [name for name, measure in MEASURES.items() if not measure.of_library])
    check("device", [args.device], DEVICES)
    check("dtype", [args.dtype], dtypes())
    check("kernel", args.kernel or (), CATALOGUE)


def nothing(machine: str, args: Namespace) -> str:
    """Say that there is nothing to draw, and what to run."""
    options = [f"--kernel {kernel}" for kernel in args.kernel or ()]
    options += [f"--{name} {value}" for name in ("device", "dtype") if (value := getattr(args, name))]
    command = " ".join(["arrayspeed run", *options, f"--measure {args.measure}"])
    return f"no such results of machine {printable(machine)}: run `{command}` first"


def target(folder: Path, plot: Shown, args: Namespace) -> Path:
    """Return a chart's files without their suffix: ``elementwise_float64_small``."""
    return folder / file_name(plot.kernel, plot.dtype, plot.label, *given(args))


def given(args: Namespace) -> list[str]:
    """Return the options that a file's name tells, where they are not the usual ones."""
    return [*([args.device] if args.device else []), *([args.measure] if args.measure != CALL.name else [])]


def where(dtype: str, devices: list[str], machine: str) -> str:
    """Precision, device and machine, as a line."""
    return f"{dtype} · {' and '.join(devices)} · {machine}"


def draw(plot: Shown, devices: list[str], machine: str, args: Namespace) -> alt.LayerChart:
    """One kernel's chart."""
    bars = charts.backend_rows(plot.table, devices)
    lines = [
        CATALOGUE[plot.kernel].summary,
        where(plot.dtype, devices, machine),
        charts.versions_line(plot.table),
        *best_line(plot, len(devices) > 1),
        *charts.other_ways_line(bars),
    ]
    return charts.backends_chart(bars, MEASURES[args.measure], f"{plot.kernel}, size {plot.size:,}", lines)


def best_line(plot: Shown, several_devices: bool) -> list[str]:
    """Return all that cannot be told apart from the best, as a line; no line where nothing competes."""
    if len(plot.cases) < 2:
        return []
    names = [f"{case.backend}, {case.device}" if several_devices else case.backend for case in plot.best]
    return [f"Best: {names[0]}" if len(names) == 1 else f"Best, and not told apart: {'; '.join(names)}"]


def summary(
    folder: Path, plots: list[Shown], label: str, devices: list[str], machine: str, args: Namespace
) -> list[Path]:
    """Return the files of a summary; none where no kernel was measured at such a size."""
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
    if any(cell.ratio and not cell.ratio.in_turn for cell in cells):
        lines.append(f"{MEASURED_APART} compares two that were measured one after the other, and not in turn")
    if any(cell.ratio and cell.ratio.retained for cell in cells):
        lines.append(
            f"{TWO_TIMES}: a call takes another time in a process that retains freed memory; the interval has both"
        )
    if any(cell.other_way and cell.ratio for cell in cells):
        lines.append(f"{charts.OTHER_WAY} compares two ways of computing: finite differences and what the kernel says")
    title = f"{label.capitalize()} sizes: {MEASURES[args.measure].title}, and its ratio to NumPy's"
    chart = heatmap.summary_chart(cells, MEASURES[args.measure], title, lines)
    return charts.save(chart, folder / file_name("summary", *([args.dtype] if args.dtype else []), label, *given(args)))


def cells_of(plot: Shown, devices: list[str]) -> list[heatmap.Cell]:
    """Return a kernel's row of the summary; what it is compared with is NumPy on the CPU."""
    cases = plot.cases
    baseline = cases.get((BASELINE, BASELINE_DEVICE))
    ratios = {
        where: inverse(compared(case, baseline, plot.levels))
        for where, case in cases.items()
        if baseline and case != baseline
    }
    return heatmap.summary_cells(f"{plot.kernel} {plot.size:,}", charts.backend_rows(plot.table, devices), ratios)
