"""Print times of every kernel and size by backend, and the speed-up over NumPy."""

from __future__ import annotations

import polars as pl
from rich.console import Console
from rich.table import Table
from rich.text import Text

from arrayspeed import results
from arrayspeed.errors import UserError
from arrayspeed.project import load_config
from arrayspeed.units import human, significant
from kernels import BACKENDS, CATALOGUE, DEVICES
from kernels.catalogue import choose


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
        choose("dtype", args.dtype, ("float64", "float32"))
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
    times = newest(
        table.filter(machine=machine, measure="time_call", device=device, dtype=dtype).filter(
            pl.col("value").is_not_null()
        )
    )
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
            row = dict(of_kernel.filter(size=size).select("backend", "value").iter_rows())
            if row:
                shown.add_row(kernel.name, f"{size:,}", *(cell(row, name) for name in backends))
    console = Console()
    console.print(shown) if console.is_terminal else Console(width=200).print(shown)


def newest(times: pl.DataFrame) -> pl.DataFrame:
    """One value a combination: of the environment with most libraries, then the newest."""
    together = times.group_by("environment").agg(pl.col("library").n_unique().alias("together"))
    return (
        times.join(together, on="environment")
        .sort("together", "date")
        .unique(["kernel", "size", "backend"], keep="last", maintain_order=True)
    )


def cell(row: dict[str, float], backend: str) -> Text:
    """A backend's time and speed-up."""
    if backend not in row:
        return Text("n/a", style="dim")
    text = Text(human(row[backend], "time_call"))
    if backend != "numpy" and "numpy" in row:
        ratio = row["numpy"] / row[backend]
        style = "green" if ratio >= 1.1 else "red" if ratio <= 0.9 else "dim"
        text.append(f"\n×{significant(ratio, 2)}", style)
    return text
