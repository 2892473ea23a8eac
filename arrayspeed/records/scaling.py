"""Times on several numbers of cores, taken in turn: ``scaling.jsonl`` beside a machine's results, a line for each
process.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from arrayspeed.model.combination import Combination
from arrayspeed.records.files import SCALING, append
from arrayspeed.records.processes import Measuring, Process, is_value, rounded

FILE = SCALING


@dataclass(frozen=True, order=True)
class Case:
    """What is timed."""

    environment: str
    kernel: str
    dtype: str
    backend: str
    size: int
    device: str


@dataclass(frozen=True)
class Scaled:
    """One process that was kept to so many cores.

    ``block``: processes of one round of it took turns. ``batches``: seconds a call, batch by batch; none where it
    failed, and ``why`` says why.
    """

    case: Case
    commit: str
    block: str
    round: int
    cores: int
    batches: tuple[float | None, ...]
    why: str | None = None
    date: str = ""


def case_of(one: Combination) -> Case:
    """Return what a combination times."""
    assert one.dtype is not None and one.size is not None and one.device is not None  # of a kernel
    return Case(one.environment, one.kernel, one.dtype, one.backend, one.size, one.device)


def add(session: Measuring, played: Iterable[tuple[int, Process]]) -> list[Scaled]:
    """Append processes of one round, each with its number of cores; return them."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    found = [
        Scaled(
            case_of(one.one),
            session.commit,
            one.block or "",
            one.round or 0,
            cores,
            tuple(rounded(one.batches)),
            one.why,
            now,
        )
        for cores, one in played
    ]
    unclean = {"unclean": True} if session.unclean else {}
    lines = [json.dumps(asdict(one.case) | plain(one) | unclean) for one in found]
    append(Path(session.config.results_dir, session.machine["machine"], FILE), lines)
    return found


def plain(one: Scaled) -> dict[str, Any]:
    """Return what is stored of a process beside its case."""
    return {key: value for key, value in asdict(one).items() if key != "case" and value is not None}


def load(folder: str | Path, machine: str) -> Iterator[Scaled]:
    """Yield what is stored of a machine; lines that are none are left out."""
    path = Path(folder, machine, FILE)
    for line in path.read_bytes().split(b"\n") if path.exists() else ():
        with suppress(ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
            yield parse(json.loads(line.decode()))


def parse(data: dict[str, Any]) -> Scaled:
    """One line; an error of some kind where it is none."""
    texts = [data[name] for name in ("environment", "kernel", "dtype", "backend", "device", "commit", "block")]
    numbers = [data[name] for name in ("size", "round", "cores")]
    batches: Sequence[Any] = data["batches"]
    if not all(isinstance(text, str) for text in texts) or not all(map(is_value, batches)):
        raise ValueError(data)
    if not all(type(number) is int and number >= 0 for number in numbers):
        raise ValueError(data)
    case = Case(*(data[name] for name in ("environment", "kernel", "dtype", "backend", "size", "device")))
    why = None if data.get("why") is None else str(data["why"])
    return Scaled(
        case,
        data["commit"],
        data["block"],
        data["round"],
        data["cores"],
        tuple(batches),
        why,
        str(data.get("date", "")),
    )
