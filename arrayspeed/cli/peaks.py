"""Measure what this machine can do: memory by working set, and arithmetic, on one core and on all.

Loops of their own read, write and compute, compiled by Numba; each rate is the best of a few. It takes half a minute.
The rates are stored with the machine's results, and the page of limits compares kernels with them. `make bench` does
this once for each machine.
"""

from __future__ import annotations

import argparse

from arrayspeed.environments.project import load_config
from arrayspeed.formats.progress import say
from arrayspeed.formats.terminal import console
from arrayspeed.measure.peaks import measure
from arrayspeed.model.units import significant
from arrayspeed.records.peaks import ARITHMETIC, Peaks, Rate


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``arrayspeed peaks``, of which there are none."""


def main(args: argparse.Namespace) -> int:
    """Run ``arrayspeed peaks``."""
    show(measure(load_config(), tell, args.wait))
    return 0


def tell(rate: Rate) -> None:
    """Say that a rate was measured, once a working set."""
    if rate.what in (ARITHMETIC, "triad"):
        say(f"{rate.what} of {size(rate.bytes)} on {rate.cores} of the cores: {written(rate)}")


def show(peaks: Peaks) -> None:
    """Print the rates, a row a working set."""
    from rich.table import Table

    for cores in sorted({one.cores for one in peaks.rates}):
        rates = [one for one in peaks.rates if one.cores == cores]
        kinds = list(dict.fromkeys(one.what for one in rates if one.what != ARITHMETIC))
        table = Table(title=f"{cores} {'core' if cores == 1 else 'cores'}", title_justify="left")
        for name in ("working set", *kinds):
            table.add_column(name, justify="right")
        for working_set in sorted({one.bytes for one in rates if one.what != ARITHMETIC}):
            found = {one.what: one for one in rates if one.bytes == working_set and one.what != ARITHMETIC}
            table.add_row(size(working_set), *(written(found[name]) for name in kinds))
        console().print(table)
        for one in rates:
            if one.what == ARITHMETIC:
                print(f"multiply and add, {one.dtype}: {written(one)}")


def written(rate: Rate) -> str:
    """Return a rate with its unit."""
    unit = "FLOP/s" if rate.what == ARITHMETIC else "B/s"
    return f"{significant(rate.rate / 1e9, 3)} G{unit}"


def size(number: int) -> str:
    """Return a working set: 16 KiB."""
    for unit, factor in (("MiB", 2**20), ("KiB", 2**10)):
        if number >= factor:
            return f"{number // factor} {unit}"
    return f"{number} B"
