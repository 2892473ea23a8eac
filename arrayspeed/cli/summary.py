"""Print times of every kernel and size by backend, and the speed-up over NumPy with its 95 % interval.

Green marks what is shown to be faster, red what is shown to be slower, = what is shown to be the same within 5 %, and
? what is unclear. ≠ compares two ways of computing, such as finite differences; ~ compares two that were measured one
after the other, and not in turn. Bold marks those that cannot be told apart from the best.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import replace

from rich.console import Console
from rich.table import Table
from rich.text import Text

from arrayspeed.claims.evidence import versions
from arrayspeed.decide.compare import Level
from arrayspeed.decide.words import FASTER, SAME, SLOWER, UNCLEAR
from arrayspeed.environments.project import load_config
from arrayspeed.model.errors import UserError
from arrayspeed.model.measures import CALL
from arrayspeed.model.names import check
from arrayspeed.model.units import human, significant
from arrayspeed.records import results
from arrayspeed.records.levels import MEASURED_APART, Case, compared, inverse, levels_of
from arrayspeed.records.released import load
from arrayspeed.report.backends import BASELINE
from arrayspeed.report.shown import measured, shown
from kernels import BACKENDS, DEVICES
from kernels.catalogue import dtypes


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``arrayspeed summary``."""
    parser.add_argument("--machine", metavar="NAME", help="default: this machine, else the one measured last")
    parser.add_argument("--device", default="cpu", help="cpu (default), gpu or tpu")
    parser.add_argument("--dtype", default="float64", help="float64 (default) or float32")
    parser.add_argument(
        "--all-sizes", action="store_true", help="show all sizes, not only each kernel's small and large"
    )


def main(args: argparse.Namespace) -> int:
    """Run ``arrayspeed summary``."""
    check("device", [args.device], DEVICES)
    check("dtype", [args.dtype], dtypes())
    show(load_config().results_dir, args.machine, args.device, args.dtype, args.all_sizes)
    return 0


def show(
    folder: str, machine: str | None = None, device: str = "cpu", dtype: str = "float64", all_sizes: bool = False
) -> None:
    """Print the table of one machine.

    Raises
    ------
    UserError
        There is nothing to show.
    """
    table = results.load(folder)
    machine = results.choose_machine(table, machine)
    levels = levels_of(table.filter(machine=machine), folder)
    chosen = {"machine": machine, "measure": CALL.name, "device": device, "dtype": dtype}
    times = measured(table.filter(**chosen))
    if times.is_empty():
        raise UserError(f"no times of {dtype} on the {device} of {machine}: run `make bench` or `arrayspeed run` first")
    backends = [name for name in BACKENDS if name in times["backend"].unique()]
    rows = Table(title=f"{machine}, {device}, {dtype}: time of a call, and speed-up over NumPy", title_justify="left")
    rows.add_column("kernel")
    rows.add_column("size", justify="right")
    for name in backends:
        rows.add_column(name, justify="right")
    absent = Text("n/a", style="dim")
    for one in shown(times, levels, dtype=dtype, all_sizes=all_sizes):
        cells = {case.backend: cell(case, one.levels, case in one.best) for case in one.cases.values()}
        rows.add_row(one.kernel, f"{one.size:,}", *(cells.get(name, absent) for name in backends))
    console = Console()
    console.print(rows) if console.is_terminal else Console(width=200).print(rows)
    released = load(folder)
    for library, version in versions(table.filter(machine=machine)).items():
        if text := released.text(library, version):
            print(f"{text}.")


#: How the word of a backend against NumPy is shown, and what is put behind the ratio.
LOOKS = {FASTER: ("green", ""), SLOWER: ("red", ""), SAME: ("", " ="), UNCLEAR: ("dim", " ?")}


def cell(case: Case, row: Mapping[Case, Level], is_best: bool) -> Text:
    """Return a backend's time, and its speed-up over NumPy."""
    text = Text(human(row[case].value, case.measure), "bold" if is_best else "")
    baseline = replace(case, backend=BASELINE)
    ways = case.other_way or (baseline in row and baseline.other_way)
    if case != baseline and baseline in row:
        word = compared(case, baseline, row)
        ratio = inverse(word)
        style, sign = LOOKS[word.verdict]
        interval = f"{significant(ratio.low, 2)}–{significant(ratio.high, 2)}"
        apart = "" if ratio.in_turn else f" {MEASURED_APART}"
        text.append(f"\n×{significant(ratio.ratio, 2)} ({interval}){sign}{apart}", style)
    return text.append(" ≠") if ways else text
