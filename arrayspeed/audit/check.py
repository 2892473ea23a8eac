"""One row of an audit, and all of them as they are kept."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from arrayspeed.decide.words import FAILS, SAME, UNCLEAR, Word, exit_status
from arrayspeed.measure.session import save_atomically
from arrayspeed.records.processes import Noise

#: Beside asv's results of the machine. Not ``.json``: asv takes every such file for results.
FILE = "audit.jsonl"

#: Checks that are decided by measuring until something is shown.
TIMED = ("clock", "turns", "pyperf")

#: The verdict that ``passed`` stands for.
VERDICTS = {True: SAME, False: FAILS, None: UNCLEAR}

#: What ``passed`` means in words.
WORDS = {True: "pass", False: "FAIL", None: "open"}

#: Check -> what passes it.
CHECKS = {
    "clock": "asv's time of a call agrees with an independent clock, within ±10 % or 0.3 µs",
    "turns": "the time of a call measured in turn, as in upgrades, agrees with that clock too",
    "pyperf": "pyperf's time agrees with that clock too",
    "batching": "asv times short calls in batches, not alone",
    "wait": "a call returns when its result is complete",
    "peak": "no result comes sooner than the card could compute it",
    "compilation": "no call after the first traces or compiles",
    "transfer": "no call moves an array between host and device",
    "result": "dtype, device and values are as requested, in every precision",
    "work": "the program computes its result from its inputs",
    "settings": "precision and threads are as declared",
    "cores": "threads stay on the allowed cores: with one, no more CPU time than wall time",
}


@dataclass(frozen=True)
class Check:
    """One check of a backend, or of a kernel on it. ``passed`` is None where it is open: nothing was shown, which is no
    pass; ``detail`` says why.
    """

    check: str
    backend: str
    kernel: str | None
    passed: bool | None
    detail: str


#: Is told what was done, and what it found.
Report = Callable[[str, list[Check]], None]


@dataclass(frozen=True)
class Audit:
    """All checks of a machine.

    ``noise``: by backend, how much one round's ratio of two sides that measure the same varies, as a standard deviation
    of logarithms. ``complete`` is false where it ended before every row was looked at.
    """

    machine: str
    environment: str
    commit: str
    date: str
    device: str
    checks: list[Check] = field(default_factory=list)
    noise: dict[str, Noise] = field(default_factory=dict)
    complete: bool = True

    @property
    def failed(self) -> list[Check]:
        """The checks that failed, without those that are open."""
        return [one for one in self.checks if one.passed is False]

    def status(self, unclear_share: float) -> int:
        """0: nothing failed, and no more than a share of the comparisons with the clock is open. 1: something failed.
        2: too much is open, or it ended too early.
        """
        verdicts = [VERDICTS[one.passed] for one in self.checks if one.check in TIMED]
        failed = [VERDICTS[False]] * len(self.failed)
        status = exit_status(map(Word, [*failed, *verdicts]), unclear_share)
        return status if self.complete or status == 1 else 2


def save(folder: str | Path, audit: Audit) -> None:
    """Keep an audit beside the machine's results, whole or not at all."""

    def write(temporary: str) -> None:
        path = Path(temporary, audit.machine, FILE)
        path.parent.mkdir()
        path.write_text(json.dumps(asdict(audit)) + "\n", encoding="utf-8")

    save_atomically(folder, write)


def load(folder: str | Path, machine: str) -> Audit | None:
    """Return a machine's audit, or None where there is none that can be read. The name may be anybody's, and is no
    path.
    """
    if Path(machine).name != machine:
        return None
    with suppress(OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        data = json.loads(Path(folder, machine, FILE).read_text(encoding="utf-8"))
        checks = [parse(row) for row in data["checks"]]
        noise = {str(name): parse_noise(row) for name, row in data["noise"].items()}
        names = ("machine", "environment", "commit", "date", "device")
        machine, environment, commit, date, device = (str(data[name]) for name in names)
        return Audit(machine, environment, commit, date, device, checks, noise)
    return None


def parse(row: dict[str, Any]) -> Check:
    """One check; an error where it is none."""
    passed = row["passed"]
    if not (passed is None or isinstance(passed, bool)):
        raise TypeError(passed)
    kernel = row["kernel"]
    return Check(
        str(row["check"]), str(row["backend"]), None if kernel is None else str(kernel), passed, str(row["detail"])
    )


def parse_noise(row: dict[str, Any]) -> Noise:
    """One backend's noise; an error where it is none."""
    between = float(row["between"])
    if not 0 <= between < math.inf:
        raise ValueError(between)
    return Noise(int(row["combinations"]), between)
