"""What each process gave, one line of JSON each, beside asv's results.

asv joins the samples of all processes. But samples of one process say little about another: it has its own memory
layout, its own threads and its own spell of the machine's speed. A comparison needs to know which came from which,
so the median of each process is kept in ``results/<machine>/<commit>-<environment>.processes.jsonl``.
"""

from __future__ import annotations

import glob
import json
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from statistics import fmean, median
from typing import Any, Protocol

import polars as pl
from asv.config import Config
from asv.results import get_filename

from arrayspeed.model.combination import Combination, parse_name
from arrayspeed.model.failures import CLASSES, class_of
from arrayspeed.model.measures import CALL
from arrayspeed.model.retention import any_differ, apart
from arrayspeed.records.files import append
from arrayspeed.records.fingerprints import fingerprint

SUFFIX = ".processes.jsonl"


@dataclass(frozen=True)
class Retained:
    """What a process gave in further turns, in which it retained freed memory: ``batches`` and ``faults`` as of
    `Process`; ``why`` it failed there.
    """

    batches: list[float | None] = field(default_factory=list)
    faults: float | None = None
    why: str | None = None

    @property
    def value(self) -> float | None:
        """Seconds a call, the median of the batches; None where there are none."""
        good = [batch for batch in self.batches if batch is not None]
        return median(good) if good else None


@dataclass(frozen=True)
class Process:
    """One process of one combination.

    Attributes
    ----------
    value
        In the measure's unit; None where it failed or is n/a, and ``why`` then says why. Of a time, the median of
        ``samples``, or of ``batches``.
    block, round
        Processes of the same block and round met: they were alive at once, or ran one after the other within seconds.
        None where the process met nobody.
    batches
        Seconds a call, batch by batch: the n-th of all processes of a round are neighbours in time. None where the
        batch failed.
    sometimes
        It failed, and other calls of the same process succeeded.
    number
        Calls in a batch.
    faults
        Page faults of a call, the median of its batches; None where they were not counted.
    retained
        What it gave where it retained freed memory; None where it was not asked for.
    cores, switches
        Cores that it kept busy, and context switches of its main thread in a call, medians of its batches; None where
        that was not read. They are not stored.
    card
        Of what ran on an NVIDIA card, after its last batch: clocks in MHz, power state, why it was slower than it could
        be, and how many batches were ``dropped`` because something slowed it down (`arrayspeed.system.card`).
    kind
        The class of the failure, of `arrayspeed.model.failures`; None where there is none.
    fingerprint
        What it depends on, of `arrayspeed.records.fingerprints`; None where that was not recorded.
    date
        When it was stored, UTC, in ISO 8601; empty where that was not recorded.
    """

    one: Combination
    value: float | None
    samples: list[float] = field(default_factory=list)
    why: str | None = None
    round: int | None = None
    block: str | None = None
    batches: list[float | None] = field(default_factory=list)
    sometimes: bool = False
    number: int | None = None
    kind: str | None = None
    faults: float | None = None
    retained: Retained | None = None
    cores: float | None = None
    switches: float | None = None
    card: dict[str, Any] | None = field(default=None, compare=False)
    fingerprint: str | None = field(default=None, compare=False)
    date: str = field(default="", compare=False)


def as_retained(process: Process) -> Process:
    """Return what a process gave where it retained freed memory, as if it were all that it gave."""
    more = process.retained
    assert more is not None
    return replace(process, value=more.value, batches=more.batches, faults=more.faults, why=more.why, retained=None)


def moved_by_faults(old: Sequence[Process], new: Sequence[Process]) -> bool:
    """Return whether two sides' page faults differ by so many that they may be what differs between their times."""
    values = [[one.value for one in side if one.value is not None] for side in (old, new)]
    return apart([median(side) if side else None for side in values], [page_faults(side) for side in (old, new)])


def takes_two_times(played: Iterable[Process]) -> bool:
    """Return whether a call takes another time where freed memory is retained, by the processes that were asked."""
    return any_differ((one.value, one.faults, more.value, more.faults) for one in played if (more := one.retained))


class Measuring(Protocol):
    """What a record needs of the run that it is of; `arrayspeed.measure.session.Session` has it.

    Attributes
    ----------
    config
        asv's configuration.
    machine
        asv's description of this machine.
    unclean
        The measured code differs from the commit.
    origin
        What each record says of where it comes from.
    """

    config: Config
    machine: dict[str, Any]
    unclean: bool
    origin: dict[str, Any]

    @property
    def commit(self) -> str:
        """The commit that records name."""

    def packages(self, name: str) -> dict[str, str]:
        """Return the exact packages of an environment."""


def store(session: Measuring, environment: str, played: list[Process], commit: str | None = None) -> None:
    """Add processes to the file of their environment and a commit, by default the run's. A line is written whole or, in
    a kill, is left out on reading.

    Each line has the time, UTC, what the process's figure depends on, and ``unclean`` where the measured code differs
    from the commit that it names. What a host of a fleet measured names the host.
    """
    name = get_filename(session.machine["machine"], commit or session.commit, environment)
    path = Path(session.config.results_dir, name.removesuffix(".json") + SUFFIX)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    common = {"date": now} | session.origin | ({"unclean": True} if session.unclean else {})
    packages = session.packages(environment)
    lines = [
        json.dumps(common | line(process) | {"fingerprint": fingerprint(process.one, packages)}) for process in played
    ]
    append(path, lines)


def line(process: Process) -> dict[str, Any]:
    """Return what is stored of a process."""
    one = process.one
    row: dict[str, Any] = {
        "benchmark": one.benchmark,
        "backend": one.backend,
        "size": one.size,
        "device": one.device,
    }
    row["value"] = process.value
    if process.block is not None:
        row |= {"block": process.block, "round": process.round}
    if process.batches:
        row["number"] = process.number
        row["batches"] = rounded(process.batches)
        if process.faults is not None:
            row["faults"] = float(f"{process.faults:.3g}")
    if again := process.retained:
        row["retained"] = {"batches": rounded(again.batches), "faults": again.faults, "why": again.why}
    if process.why is not None:
        row |= {"why": process.why, "kind": process.kind or class_of(process.why)}
    if process.sometimes:
        row["sometimes"] = True
    if process.card:
        row["card"] = process.card
    return row


def rounded(batches: Iterable[float | None]) -> list[float | None]:
    """Four digits of each."""
    return [None if batch is None else float(f"{batch:.4g}") for batch in batches]


def load(folder: str | Path, machine: str, environment: str, commits: list[str]) -> Iterator[Process]:
    """Yield the processes stored of an environment at some commits; lines that are no process are left out."""
    for commit in commits:
        path = Path(folder, get_filename(machine, commit, environment).removesuffix(".json") + SUFFIX)
        yield from of_path(path, environment)


def load_all(folder: str | Path, machine: str, environment: str) -> Iterator[Process]:
    """Yield the processes stored of an environment, whatever the commit, and whether or not asv has results of it."""
    for path in sorted(Path(folder, machine).glob(f"*-{glob.escape(environment)}{SUFFIX}")):
        if environment_of(path) == environment:
            yield from of_path(path, environment)


def of_path(path: Path, environment: str) -> Iterator[Process]:
    """Yield the processes of one file, which within `read_once` is read once."""
    known = _known.get()
    if known is None:
        yield from of_file(path, environment)
    else:
        if path not in known:
            known[path] = list(of_file(path, environment))
        yield from known[path]


def environment_of(path: Path) -> str:
    """Return the environment whose processes a file holds: in its name, after a commit."""
    return path.name.partition("-")[2].removesuffix(SUFFIX)


def of_file(path: Path, environment: str) -> Iterator[Process]:
    """Yield the processes of one file; none where there is no file."""
    if path.exists():
        for text in lines_of(path.read_bytes()):
            if found := record(text, environment):
                yield found[1]


_known: ContextVar[dict[Path, list[Process]] | None] = ContextVar("known", default=None)


@contextmanager
def read_once() -> Iterator[None]:
    """Within this, `load` reads each file once: for what only looks at results, and asks for the same several times."""
    before = _known.set({})
    try:
        yield
    finally:
        _known.reset(before)


def lines_of(content: bytes) -> list[bytes]:
    """Return the lines of a file of processes. Only the byte that ends a line does: text may hold other separators."""
    return [text for text in content.split(b"\n") if text.strip()]


def record(text: bytes, environment: str = "") -> tuple[dict[str, Any], Process] | None:
    """Return all fields of a line, also those that later versions may add, and its process; None where it
    holds none.
    """
    with suppress(ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        row = json.loads(text.decode())
        return row, parse(row, environment)
    return None


def parse(row: dict[str, Any], environment: str) -> Process:
    """One line; an error of any kind where it is none."""
    value, size, batches = row["value"], row["size"], list(row.get("batches", ()))
    for each in (value, *batches):
        if not is_value(each):
            raise ValueError(each)
    size = None if size is None else int(size)
    one = combination(environment, row["benchmark"], str(row["backend"]), size, row["device"])
    met: dict[str, Any] = (
        {"round": int(row["round"]), "block": str(row["block"])} if row.get("block") is not None else {}
    )
    number = row.get("number")
    met["number"] = None if number is None else int(number)
    faults = row.get("faults")
    met["faults"] = float(faults) if faults is not None and is_value(faults) else None
    met["retained"] = parse_retained(row.get("retained"))
    why = None if row.get("why") is None else str(row["why"])
    if why is not None:
        met["kind"] = kind if (kind := row.get("kind")) in CLASSES else class_of(why)
    met["fingerprint"] = known if isinstance(known := row.get("fingerprint"), str) else None
    met["date"] = str(row.get("date", ""))
    met["card"] = known if isinstance(known := row.get("card"), dict) else None
    return Process(one, value, why=why, batches=batches, sometimes=row.get("sometimes") is True, **met)


def parse_retained(row: object) -> Retained | None:
    """Return what a line has of the state in which memory is retained; None where it has nothing of the kind."""
    if not isinstance(row, dict):
        return None
    batches, faults, why = list(row.get("batches", ())), row.get("faults"), row.get("why")
    for each in (faults, *batches):
        if not is_value(each):
            raise ValueError(each)
    return Retained(batches, faults, None if why is None else str(why))


def page_faults(played: Iterable[Process]) -> float | None:
    """Page faults of a call, the median over processes; None where none of them counted."""
    counted = [process.faults for process in played if process.faults is not None]
    return median(counted) if counted else None


@lru_cache(maxsize=4096)
def combination(environment: str, benchmark: str, backend: str, size: int | None, device: str | None) -> Combination:
    """Return what a line is of: many lines are of the same."""
    labels = parse_name(benchmark)
    return Combination(environment, benchmark, -1, **labels, backend=backend, size=size, device=device)


def is_value(value: object) -> bool:
    """Return whether it is what a process or a batch may have given: a finite number, or None."""
    return value is None or (isinstance(value, (int, float)) and math.isfinite(value))


@dataclass(frozen=True)
class Noise:
    """How much a backend's processes of one combination differ: the pooled standard deviation of their logarithms, and
    the number of combinations that it is from.
    """

    combinations: int
    between: float


def noise(folder: str | Path, table: pl.DataFrame) -> dict[str, Noise]:
    """Return the noise of each backend's times of a call, in the environments of a table of results.

    Only combinations with two processes or more say anything.
    """
    # Only here: decisions need SciPy, and a run on a machine that has nothing but the wheels does without it.
    from arrayspeed.decide.effects import plain

    found = defaultdict(list)
    where = table.select("machine", "environment", "commit").unique()
    for machine, environment, commit in where.iter_rows():
        for process in load(folder, machine, environment, [commit]):
            one = process.one
            if one.measure == CALL.name and process.value:
                key = one.backend, machine, environment, one.benchmark, one.size, one.device
                found[key].append(math.log(process.value))
    variances = defaultdict(list)
    for (backend, *_), logs in found.items():
        if len(logs) > 1:
            variances[backend].append(plain(logs)[1])
    return {name: Noise(len(each), math.sqrt(fmean(each))) for name, each in variances.items()}
