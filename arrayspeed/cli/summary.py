"""Print times by kernel and backend, and speed-ups over NumPy.

Speed-ups have their 95 % intervals. Green marks what is shown to be faster, red what is shown to be slower, = what is
shown to be the same within 5 %, and ? what is unclear. ≠ compares two ways of computing, such as finite differences; ~
compares two that were measured one after the other, and not in turn. † marks intervals that enclose two times: a call
takes another one in a process that retains freed memory. Bold marks those that cannot be told apart from the best.
Where the terminal is too narrow for a column of each backend, the fastest one is shown.

Examples:
    arrayspeed summary
    arrayspeed summary --backend numpy --backend jax-jit --all-sizes
    arrayspeed summary --device gpu --dtype float32 --format json
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rich import box
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

from arrayspeed.claims.evidence import versions
from arrayspeed.cli import options
from arrayspeed.decide.compare import Level
from arrayspeed.decide.words import FASTER, SAME, SLOWER, UNCLEAR
from arrayspeed.environments.project import load_config
from arrayspeed.formats.data import as_json
from arrayspeed.formats.fitting import fits
from arrayspeed.formats.tables import markdown_table, markdown_text
from arrayspeed.formats.terminal import console
from arrayspeed.model.errors import UserError
from arrayspeed.model.measures import CALL
from arrayspeed.model.names import check
from arrayspeed.model.text import printable
from arrayspeed.model.units import human, significant
from arrayspeed.records import results
from arrayspeed.records.levels import MEASURED_APART, TWO_TIMES, Case, compared, inverse, levels_of
from arrayspeed.records.released import load
from arrayspeed.report.backends import BASELINE
from arrayspeed.report.shown import Shown, measured, shown
from kernels import BACKENDS, DEVICES
from kernels.catalogue import dtypes

#: How the word of a backend against NumPy is shown, and what is put behind the ratio.
LOOKS = {FASTER: ("green", ""), SLOWER: ("red", ""), SAME: ("", " ="), UNCLEAR: ("dim", " ?")}

#: The width of what is no terminal: that of a column of every backend.
PIPED = 400


@dataclass(frozen=True)
class Entry:
    """A backend's time of a kernel at a size.

    Attributes
    ----------
    seconds
        Of a call.
    speed_up, low, high
        Over NumPy, with its interval; None of NumPy itself and where NumPy has no time.
    verdict
        The word of that speed-up; None where there is none.
    in_turn
        Whether both were measured in turn.
    two_times
        Whether its interval encloses two states of the allocator.
    other_way
        Whether one of the two computes in another way.
    best
        Whether it cannot be told apart from the fastest.
    """

    seconds: float
    best: bool
    other_way: bool
    speed_up: float | None = None
    low: float | None = None
    high: float | None = None
    verdict: str | None = None
    in_turn: bool = True
    two_times: bool = False

    @property
    def ratio(self) -> str:
        """The speed-up in words; "" where there is none."""
        if self.speed_up is None or self.low is None or self.high is None or self.verdict is None:
            return ""
        _, sign = LOOKS[self.verdict]
        marks = ("" if self.in_turn else f" {MEASURED_APART}") + (f" {TWO_TIMES}" if self.two_times else "")
        interval = f"{significant(self.low, 2)}–{significant(self.high, 2)}"
        return f"×{significant(self.speed_up, 2)} ({interval}){sign}{marks}{' ≠' if self.other_way else ''}"

    @property
    def style(self) -> str:
        """How a terminal shows the speed-up."""
        return LOOKS[self.verdict][0] if self.verdict else ""


@dataclass(frozen=True)
class Row:
    """A kernel at a size, and its entry of each backend that has a time."""

    kernel: str
    size: int
    entries: Mapping[str, Entry]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``arrayspeed summary``."""
    parser.add_argument("--machine", metavar="NAME", help="default: this machine, else the one measured last")
    parser.add_argument("--device", default="cpu", help="cpu (default), gpu or tpu")
    parser.add_argument("--dtype", default="float64", help="float64 (default) or float32")
    parser.add_argument(
        "--backend",
        action="append",
        default=[],
        metavar="NAME",
        help=f"only this one of {', '.join(BACKENDS)}; may be repeated",
    )
    parser.add_argument(
        "--all-sizes", action="store_true", help="show all sizes, not only each kernel's small and large"
    )
    options.add_format(parser)


def main(args: argparse.Namespace) -> int:
    """Run ``arrayspeed summary``."""
    check("device", [args.device], DEVICES)
    check("dtype", [args.dtype], dtypes())
    check("backend", args.backend, BACKENDS)
    folder = load_config().results_dir
    show(folder, args.machine, args.device, args.dtype, args.all_sizes, args.backend, args.format)
    return 0


def show(
    folder: str,
    machine: str | None = None,
    device: str = "cpu",
    dtype: str = "float64",
    all_sizes: bool = False,
    chosen: Sequence[str] = (),
    form: str = "table",
) -> None:
    """Print the table of one machine; ``chosen``: only these backends.

    Raises
    ------
    UserError
        There is nothing to show.
    """
    table = results.load(folder)
    machine = results.choose_machine(table, machine)
    levels = levels_of(table.filter(machine=machine), folder)
    times = measured(table.filter(machine=machine, measure=CALL.name, device=device, dtype=dtype))
    there = set(times["backend"].unique())
    backends = [name for name in BACKENDS if name in there and name in (chosen or BACKENDS)]
    if not backends:
        whose = f" {' and '.join(chosen)}" if chosen else ""
        raise UserError(
            f"no times of{whose} {dtype} on the {device} of {machine}: "
            "run `make bench` or `arrayspeed run --tier bench` first"
        )
    rows = [row for one in shown(times, levels, dtype=dtype, all_sizes=all_sizes) if (row := row_of(one, backends))]
    released = load(folder)
    of = versions(table.filter(machine=machine)).items()
    lines = [f"{text}." for library, version in of if (text := released.text(library, version))]
    title = f"{machine}, {device}, {dtype}: time of a call, and speed-up over NumPy"
    if form == "json":
        print(as_json(data(machine, device, dtype, rows)))
    elif form == "markdown":
        head, body = ["kernel", "size", *backends], [markdown_cells(row, backends) for row in rows]
        print(f"**{markdown_text(title)}**", "", *markdown_table(head, body), *map(markdown_text, lines), sep="\n")
    else:
        out = console(PIPED)
        out.print(Text(printable(title), style="bold"), Summary(rows, backends))
        for line in lines:
            out.print(Text(printable(line), style="dim"))


def row_of(one: Shown, backends: Sequence[str]) -> Row | None:
    """Return a kernel at a size; None where none of the backends has a time."""
    entries = {case.backend: entry_of(case, one.levels, case in one.best) for case in one.cases.values()}
    kept = {name: entries[name] for name in backends if name in entries}
    return Row(one.kernel, one.size, kept) if kept else None


def entry_of(case: Case, levels: Mapping[Case, Level], best: bool) -> Entry:
    """Return a backend's time, and its speed-up over NumPy."""
    baseline = replace(case, backend=BASELINE)
    other_way = bool(case.other_way or (baseline in levels and baseline.other_way))
    entry = Entry(levels[case].value, best, other_way)
    if case == baseline or baseline not in levels:
        return entry
    word = compared(case, baseline, levels)
    ratio = inverse(word)
    return replace(
        entry,
        speed_up=ratio.ratio,
        low=ratio.low,
        high=ratio.high,
        verdict=word.verdict,
        in_turn=ratio.in_turn,
        two_times=ratio.retained is not None,
    )


@dataclass(frozen=True)
class Summary:
    """A column of each backend where there is room for them; else each kernel's fastest backend."""

    rows: Sequence[Row]
    backends: Sequence[str]

    def __rich_console__(self, on: Console, options: ConsoleOptions) -> RenderResult:
        """Draw it."""
        whole = self.whole()
        if fits(whole, on, options):
            yield whole
            return
        yield self.fastest()
        yield Text(
            "+N: N more cannot be told apart from it. All backends: a wider terminal, or --format json.",
            style="dim",
        )

    def whole(self) -> Table:
        """Return the table of all backends."""
        made = table_of("kernel", "size", *self.backends)
        absent = Text("n/a", style="dim")
        for row in self.rows:
            cells = {name: cell(entry) for name, entry in row.entries.items()}
            made.add_row(row.kernel, f"{row.size:,}", *(cells.get(name, absent) for name in self.backends))
        return made

    def fastest(self) -> Table:
        """Return the table of each kernel's fastest backend."""
        made = table_of("kernel", "size", "time", "speed-up")
        made.add_column("fastest", overflow="fold")
        for row in self.rows:
            name, first = min(row.entries.items(), key=lambda item: (not item[1].best, item[1].seconds))
            alike = sum(entry.best for entry in row.entries.values()) - 1
            speed_up = Text(first.ratio, first.style)
            named = Text(name + (f" +{alike}" if alike > 0 else ""))
            made.add_row(row.kernel, f"{row.size:,}", human(first.seconds, CALL.name), speed_up, named)
        return made


def table_of(name: str, *columns: str) -> Table:
    """Return an empty table whose first column is to the left."""
    made = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    made.add_column(name, overflow="fold")
    for each in columns:
        made.add_column(each, justify="right")
    return made


def cell(entry: Entry) -> Text:
    """Return a backend's time, and its speed-up over NumPy on a line of its own."""
    text = Text(human(entry.seconds, CALL.name), "bold" if entry.best else "")
    return text.append(f"\n{entry.ratio}", entry.style) if entry.ratio else text.append(" ≠" if entry.other_way else "")


def markdown_cells(row: Row, backends: Sequence[str]) -> list[str]:
    """Return a kernel's times and speed-ups."""
    cells = {name: f"{human(one.seconds, CALL.name)} {one.ratio}".strip() for name, one in row.entries.items()}
    return [row.kernel, f"{row.size:,}", *(cells.get(name, "n/a") for name in backends)]


def data(machine: str, device: str, dtype: str, rows: Sequence[Row]) -> dict[str, Any]:
    """Return everything as plain data; seconds a call, and speed-ups over NumPy."""
    return {
        "machine": machine,
        "device": device,
        "dtype": dtype,
        "kernels": [
            {"kernel": row.kernel, "size": row.size, "backends": {name: vars(one) for name, one in row.entries.items()}}
            for row in rows
        ],
    }
