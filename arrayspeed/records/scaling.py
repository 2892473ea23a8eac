"""Times on several numbers of cores, taken in turn: ``scaling.jsonl`` beside a machine's results, a line for each
process; and how many times faster each number is than the fewest.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from arrayspeed.decide import Decision, Observed, judge
from arrayspeed.decide.observed import Value
from arrayspeed.decide.words import MOST_A_LOOK
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


@dataclass(frozen=True)
class Speedup:
    """How much faster one number of cores is than the fewest that were measured.

    Attributes
    ----------
    cores, seconds
        How many, and the seconds of a call: the geometric mean over processes, None where none worked.
    decision
        Its time over that of the fewest; None of the fewest themselves.
    why
        Why it failed, where it did.
    """

    cores: int
    seconds: float | None
    decision: Decision | None = None
    why: str | None = None

    @property
    def times(self) -> tuple[float, float, float] | None:
        """The speed-up with its 95 % interval; None where it is not known, and of the fewest."""
        one = self.decision
        if one is None or one.ratio is None or one.low is None or one.high is None:
            return None
        return 1 / one.ratio, 1 / one.high, 1 / one.low


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


def observed(rows: Iterable[Scaled]) -> dict[tuple[Case, int], Observed]:
    """Return each number of cores against the fewest of the same case, from its newest block."""
    found = {}
    for case, ones in newest(rows).items():
        sides = by_cores(ones)
        fewest, *others = sorted(sides)
        for number in others:
            found[case, number] = Observed(sides[fewest], sides[number], group=case.backend)
    return found


def newest(rows: Iterable[Scaled]) -> dict[Case, list[Scaled]]:
    """Return the processes of each case that took turns last."""
    blocks: dict[Case, dict[str, list[Scaled]]] = defaultdict(lambda: defaultdict(list))
    for one in rows:
        blocks[one.case][one.block].append(one)
    return {case: max(each.values(), key=lambda ones: max(one.date for one in ones)) for case, each in blocks.items()}


def by_cores(ones: Iterable[Scaled]) -> dict[int, dict[Hashable, Value]]:
    """Return what processes gave, by their number of cores and their round."""
    found: dict[int, dict[Hashable, Value]] = defaultdict(dict)
    for one in ones:
        works = any(batch is not None for batch in one.batches)
        found[one.cores][one.round] = list(one.batches) if works else None
    return found


def speedups(
    rows: Iterable[Scaled], decisions: Mapping[tuple[Case, int], Decision] | None = None
) -> dict[Case, list[Speedup]]:
    """Return each case's speed-ups, the fewest cores first; ``decisions``: as they were made look by look, else all are
    judged now, together.
    """
    every = list(rows)
    seen = observed(every)
    if decisions is None:
        decisions = dict(zip(seen, judge(list(seen.values()), level=MOST_A_LOOK), strict=True)) if seen else {}
    found = {}
    for case, ones in sorted(newest(every).items()):
        sides = by_cores(ones)
        whys = {one.cores: one.why for one in ones if one.why}
        blank = Observed({}, {})
        found[case] = [
            Speedup(number, blank.geometric_mean(sides[number]), decisions.get((case, number)), whys.get(number))
            for number in sorted(sides)
        ]
    return found
