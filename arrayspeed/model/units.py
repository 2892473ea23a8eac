"""Numbers as people read them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from arrayspeed.model import measures
from arrayspeed.model.measures import ERROR, measure_of

TIMES = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
BYTES = ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"), (1, "B"))


def plural(count: int, text: str, more: str = "") -> str:
    """Return a number of things: ``1 step``, ``2 steps``; ``more`` is the plural where it takes more than an s."""
    return f"{count} {text if count == 1 else more or f'{text}s'}"


def significant(value: float, digits: int = 3) -> str:
    """Return a number with so many significant digits, without an exponent: 0.0123, 1.23, 12.3, 1230."""
    if value == 0:
        return "0"
    exponent = int(f"{value:.{digits - 1}e}".partition("e")[2])  # of the rounded value: 9.96 reads 10, not 10.0
    return f"{value:.{max(0, digits - 1 - exponent)}f}"


def scaled(value: float, units: Sequence[tuple[float, str]]) -> str:
    """Return a value in the largest unit in which it is 1 or more."""
    factor, unit = next((entry for entry in units if abs(value) >= entry[0]), units[-1])
    return f"{significant(value / factor)} {unit}"


def human_time(seconds: float) -> str:
    """Seconds in s, ms, µs or ns."""
    return scaled(seconds, TIMES)


def human_bytes(count: float) -> str:
    """Bytes in binary units."""
    return scaled(count, BYTES)


def human(value: float | None, measure: str) -> str:
    """Return a value in its measure's unit; failed or not measured in words."""
    if value is None:
        return "failed"
    if isinstance(value, float) and math.isnan(value):
        return "n/a"
    unit = measure_of(measure).unit
    if unit == ERROR:
        return f"{value:.1e}"
    return human_bytes(value) if unit == measures.BYTES else human_time(value)
