"""Print times of every kernel and size by backend, and the speed-up over NumPy with its 95 % interval.

Green is shown to be faster, red slower; = is shown to be the same within 5 %, ? is unclear, and ≠ compares two ways of
computing, such as finite differences. Bold are those that cannot be told apart from the best.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import polars as pl
from rich.console import Console
from rich.table import Table
from rich.text import Text

from arrayspeed.decide.compare import Level
from arrayspeed.decide.words import FASTER, SAME, SLOWER, UNCLEAR
from arrayspeed.environments.project import load_config
from arrayspeed.model.errors import UserError
from arrayspeed.model.units import human, significant
from arrayspeed.records import results
from arrayspeed.records.levels import COLUMNS, Case, Place, best_of, compared, inverse, levels_of
from arrayspeed.report.charts import best_environment
from kernels import BACKENDS, CATALOGUE, DEVICES
from kernels.catalogue import choose, dtypes


def add_arguments(parser) -> None:
    """The options of ``arrayspeed summary``."""
    parser.add_argument("--machine", metavar="NAME", help="default: this one, else the one measured last")
    parser.add_argument("--device", default="cpu", help="cpu (default), gpu or tpu")
    parser.add_argument("--dtype", default="float64", help="float64 (default) or float32")
    parser.add_argument("--all-sizes", action="store_true", help="not only each kernel's small and large")


def main(args) -> int:
    """Run ``arrayspeed summary``."""
    try:
        choose("device", args.device, DEVICES)
        choose("dtype", args.dtype, dtypes())
    except ValueError as error:
        raise UserError(str(error)) from error
    config = load_config()
    show(config.results_dir, args.machine, args.device, args.dtype, args.all_sizes)
    return 0


def show(folder: str, machine: str | None = None, device="cpu", dtype="float64", all_sizes=False) -> None:
    """Print the table of one machine.

    Raises
    ------
    UserError
        There is nothing to show.
    """
    table = results.load(folder)
    machine = results.choose_machine(table, machine)
    levels = levels_of(table.filter(machine=machine), folder)
    chosen = {"machine": machine, "measure": "time_call", "device": device, "dtype": dtype}
    times = table.filter(pl.col("value").is_not_null(), **chosen)
    if times.is_empty():
        raise UserError(f"no times of {dtype} on the {device} of {machine}: run `make bench` or `arrayspeed run` first")
    backends = [name for name in BACKENDS if name in times["backend"].unique()]
    shown = Table(title=f"{machine}, {device}, {dtype}: time of a call, and speed-up over NumPy", title_justify="left")
    shown.add_column("kernel")
    shown.add_column("size", justify="right")
    for name in backends:
        shown.add_column(name, justify="right")
    for kernel in CATALOGUE.values():
        of_kernel = times.filter(kernel=kernel.name)
        for size in kernel.sizes if all_sizes else (kernel.small, kernel.large):
            row = row_of(best_environment(of_kernel.filter(size=size)), levels)
            if row:
                best = best_of(list(row), row)
                cells = {case.backend: cell(case, row, case in best) for case in row}
                absent = Text("n/a", style="dim")
                shown.add_row(kernel.name, f"{size:,}", *(cells.get(name, absent) for name in backends))
    console = Console()
    console.print(shown) if console.is_terminal else Console(width=200).print(shown)


def row_of(table: pl.DataFrame, levels: Mapping[Place, Mapping[Case, Level]]) -> dict[Case, Level]:
    """The levels of one kernel and size in one environment."""
    found = {}
    for machine, environment, *fields in table.select("machine", "environment", *COLUMNS).iter_rows():
        case = Case(*fields)
        if case in levels.get((machine, environment), {}) and case.backend in BACKENDS:
            found[case] = levels[machine, environment][case]
    return found


#: How the word of a backend against NumPy is shown, and what is put behind the ratio.
LOOKS = {FASTER: ("green", ""), SLOWER: ("red", ""), SAME: ("", " ="), UNCLEAR: ("dim", " ?")}


def cell(case: Case, row: Mapping[Case, Level], is_best: bool) -> Text:
    """A backend's time, and its speed-up over NumPy."""
    text = Text(human(row[case].value, case.measure), "bold" if is_best else "")
    numpy = replace(case, backend="numpy")
    ways = case.other_way or (numpy in row and numpy.other_way)
    if case != numpy and numpy in row:
        word = compared(case, numpy, row)
        ratio = inverse(word)
        style, sign = LOOKS[word.verdict]
        interval = f"{significant(ratio.low, 2)}–{significant(ratio.high, 2)}"
        text.append(f"\n×{significant(ratio.ratio, 2)} ({interval}){sign}", style)
    return text.append(" ≠") if ways else text
