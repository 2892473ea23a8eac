"""Measure what this machine can do: memory and arithmetic.

Memory by working set, and arithmetic, on one core and on all. Loops of their own read, write and compute, compiled by
Numba; each rate is the best of a few. It takes half a minute. The rates are stored with the machine's results, and the
page of limits compares kernels with them. `make bench` does this once for each machine.

Examples:
    arrayspeed peaks
    arrayspeed peaks --format markdown
    arrayspeed peaks --format json
"""

from __future__ import annotations

import argparse
from dataclasses import asdict

from arrayspeed.cli import options
from arrayspeed.environments.project import load_config
from arrayspeed.formats.fitting import Fitting, Shown, show
from arrayspeed.formats.progress import say
from arrayspeed.measure.peaks import measure
from arrayspeed.model.units import plural, significant
from arrayspeed.records.peaks import ARITHMETIC, Peaks, Rate


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``arrayspeed peaks``."""
    options.add_format(parser)


def main(args: argparse.Namespace) -> int:
    """Run ``arrayspeed peaks``."""
    show(shown(measure(load_config(), tell, args.wait)), args.format)
    return 0


def tell(rate: Rate) -> None:
    """Say that a rate was measured, once a working set."""
    if rate.what in (ARITHMETIC, "triad"):
        say(f"{rate.what} of {size(rate.bytes)} on {rate.cores} of the cores: {written(rate)}")


def shown(peaks: Peaks) -> Shown:
    """Return a table of rates of memory, a row a working set and a number of cores, and the rates of arithmetic."""
    memory = [one for one in peaks.rates if one.what != ARITHMETIC]
    kinds = list(dict.fromkeys(one.what for one in memory))
    rows = []
    for cores, working_set in sorted({(one.cores, one.bytes) for one in memory}):
        rates = {one.what: written(one) for one in memory if (one.cores, one.bytes) == (cores, working_set)}
        rows.append([str(cores), size(working_set), *(rates.get(name, "") for name in kinds)])
    table = Fitting(["cores", "working set", *kinds], rows, names=2, right=range(2 + len(kinds)))
    lines = [
        f"multiply and add, {one.dtype}, {plural(one.cores, 'core')}: {written(one)}"
        for one in peaks.rates
        if one.what == ARITHMETIC
    ]
    return Shown([table], {"date": peaks.date, "rates": [asdict(one) for one in peaks.rates]}, lines)


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
