"""A line of JSON for each process and function, appended when it is finished: nothing finished is ever lost."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from arrayspeed.own.script import Script
from arrayspeed.own.sides import Ready
from arrayspeed.records.files import append
from arrayspeed.system.quota import quota
from kernels.backends.hardware import cores

#: Changes when what is measured, or how, changes: records of other forms are left alone.
FORM = 9

#: A function's size, as its file gives it; None where it has none.
Size = int | float | str | None

#: What there is to measure: a function and its size.
Item = tuple[str, Size]


@dataclass
class Record:
    """What one process of a side gave of one function in a round.

    Attributes
    ----------
    function, size
        What; None where it is the import of the file.
    batches
        Seconds a call of each turn; None where it failed in that turn.
    number
        Calls in a batch.
    faults
        Page faults a call.
    retained, retained_faults
        As ``batches`` and ``faults``, of further turns in which the process retained freed memory.
    first, memory, kept, loaded
        Seconds of the first call; bytes at the peak of a call; bytes that every call keeps; seconds of the import.
    figure, metric
        What it gives in place of times, by the name of its measure, and how much: what a command printed, or what a
        benchmark of asv tracks.
    modules
        Seconds of each module that an import brought, without those that it imports itself.
    resident, resident_within
        Bytes by which the process's own resident memory grows a call, and those that this may be wrong by.
    why, kind, sometimes
        Why it failed, in a line; a class of failure; whether other calls of the process succeeded.
    result
        Of a side that was compared with the first one: whether both returned the same (`arrayspeed.own.results`).
    exchanged
        What the side made of what other sides returned (`arrayspeed.own.across`), each with its ``maker``.
    notes
        What a reader must know of it: a kind and its detail.
    """

    round: int
    side: str
    function: str | None = None
    size: Size = None
    batches: list[float | None] | None = None
    number: int | None = None
    faults: float | None = None
    retained: list[float | None] | None = None
    retained_faults: float | None = None
    first: float | None = None
    memory: float | None = None
    kept: float | None = None
    resident: float | None = None
    resident_within: float | None = None
    loaded: float | None = None
    figure: str | None = None
    metric: float | None = None
    modules: dict[str, float] | None = None
    why: str | None = None
    kind: str | None = None
    sometimes: bool = False
    result: dict[str, Any] | None = None
    exchanged: list[dict[str, Any]] = field(default_factory=list)
    notes: list[list[Any]] = field(default_factory=list)

    @property
    def item(self) -> tuple[str | None, Size]:
        """Function and size."""
        return self.function, self.size


def run_of(script: Script, sides: Sequence[Ready], settings: dict[str, Any]) -> str:
    """Return what a measurement is of: a digest of the file, the sides and what changes numbers. On another machine, or
    other numbers of its cores, it is another run.
    """
    known = [FORM, script.digest, script.kind, [(one.label, one.identity) for one in sides], settings]
    known += [platform.node(), cores()]
    if (limit := quota()) is not None and limit < cores():
        known.append(limit)
    return hashlib.sha256(json.dumps(known).encode()).hexdigest()[:16]


class Records:
    """The records of one run in a file that may hold other runs too.

    What a kill left half written is not read, and a round counts only where every side has its record.
    """

    def __init__(self, path: Path, run: str, sides: Sequence[str], again: bool = False) -> None:
        """``again``: leave what is there, and begin anew."""
        self.path, self.run, self.sides = path, run, list(sides)
        self.found: dict[tuple[str | None, Size, int], dict[str, Record]] = {}
        earlier = list(self.read()) if path.exists() else []
        self.attempt = max((row["attempt"] for row in earlier), default=0) + bool(again and earlier)
        for row in earlier:
            if row["attempt"] == self.attempt:
                self.take(Record(**{key: row[key] for key in row if key not in ("run", "attempt")}))

    def read(self) -> Iterable[dict[str, Any]]:
        """Yield the run's lines, as they are."""
        for line in self.path.read_bytes().splitlines():
            try:
                row = json.loads(line)
            except ValueError:
                continue
            if isinstance(row, dict) and row.get("run") == self.run:
                yield row

    def take(self, record: Record) -> None:
        """Keep a record; a later one of the same process replaces it."""
        self.found.setdefault((record.function, record.size, record.round), {})[record.side] = record

    def add(self, records: Iterable[Record]) -> None:
        """Append records, all of one round and function, in one write."""
        records = list(records)
        rows = [{"run": self.run, "attempt": self.attempt, **asdict(record)} for record in records]
        append(self.path, map(json.dumps, rows))
        for record in records:
            self.take(record)

    def has(self, function: str | None, size: Size, number: int) -> bool:
        """Return whether all sides have a record of a round."""
        return len(self.found.get((function, size, number), {})) == len(self.sides)

    def of(self, function: str | None, size: Size, rounds: int) -> list[dict[str, Record]]:
        """Return the complete rounds of a function among the first so many: side -> record."""
        return [self.found[function, size, n] for n in range(rounds) if self.has(function, size, n)]

    @property
    def rounds(self) -> int:
        """Rounds that hold anything."""
        return max((number + 1 for _, _, number in self.found), default=0)
