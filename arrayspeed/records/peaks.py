"""What a machine can do: the rates that `arrayspeed.measure.peaks` measured, in ``results/<machine>/peaks.jsonl``.

A kernel can be no faster than its least work at the machine's rates (Williams, Waterman and Patterson, "Roofline: an
insightful visual performance model for multicore architectures", 2009). Which rate of memory that is depends on what a
kernel works on (Ilic, Pratas and Sousa, "Cache-aware roofline model: upgrading the loft", 2014).
"""

from __future__ import annotations

import json
import math
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from arrayspeed.records.files import replace

FILE = "peaks.jsonl"

#: What counts operations; all others count bytes.
ARITHMETIC = "fma"


@dataclass(frozen=True)
class Rate:
    """The best rate of one loop.

    Attributes
    ----------
    what
        ``read``, ``write``, ``triad`` or ``fma``.
    dtype, cores
        Precision, and cores that ran it.
    bytes
        All that it worked on.
    rate
        Bytes, or operations, a second.
    """

    what: str
    dtype: str
    cores: int
    bytes: int
    rate: float


@dataclass(frozen=True)
class Peaks:
    """All rates of a machine, and when they were measured (ISO 8601, UTC)."""

    rates: tuple[Rate, ...]
    date: str = ""

    def arithmetic(self, dtype: str | None) -> Rate | None:
        """Return the highest rate of multiplications and additions in a precision; None where there is none."""
        found = [one for one in self.rates if one.what == ARITHMETIC and one.dtype == dtype]
        return max(found, key=lambda one: one.rate, default=None)

    def memory(self, working_set: float) -> Rate | None:
        """Return the highest rate of memory for a working set of so many bytes; None where there is none.

        That is the rate of the largest set that was measured and is no larger: less is never slower, and nothing is
        said of what lies between two.
        """
        rates = [one for one in self.rates if one.what != ARITHMETIC]
        smaller = {one.bytes for one in rates if one.bytes <= working_set}
        near = max(smaller) if smaller else min((one.bytes for one in rates), default=None)
        return max((one for one in rates if one.bytes == near), key=lambda one: one.rate, default=None)

    def sets(self) -> list[int]:
        """Return the working sets that memory was measured with, the smallest first."""
        return sorted({one.bytes for one in self.rates if one.what != ARITHMETIC})


def load(results_dir: str | Path, machine: str) -> Peaks | None:
    """Return what was measured of a machine; None where nothing was. Lines that are no rate are left out."""
    with suppress(OSError):
        return of_text(Path(results_dir, machine, FILE).read_bytes())
    return None


def of_text(text: bytes) -> Peaks | None:
    """Return the rates of a file; None where it holds none."""
    rates, date = [], ""
    for line in text.splitlines():
        with suppress(ValueError, KeyError, TypeError, AttributeError, RecursionError):
            row = json.loads(line)
            rates.append(parse(row))
            date = max(date, str(row.get("date", "")))
    return Peaks(tuple(rates), date) if rates else None


def parse(row: dict[str, Any]) -> Rate:
    """Return the rate of a row.

    Raises
    ------
    ValueError, KeyError, TypeError
        It is none.
    """
    rate = float(row["rate"])
    if not 0 < rate < math.inf:
        raise ValueError(rate)
    return Rate(str(row["what"]), str(row["dtype"]), int(row["cores"]), int(row["bytes"]), rate)


def save(results_dir: str | Path, machine: str, peaks: Peaks) -> None:
    """Replace what is stored of a machine."""
    lines = [json.dumps(asdict(one) | {"date": peaks.date}) for one in peaks.rates]
    replace(Path(results_dir, machine, FILE), "\n".join(lines) + "\n")
