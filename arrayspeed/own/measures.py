"""How each measure of own code is judged: what is too small to matter, and what more and less of it are called."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

from arrayspeed.decide import Observed
from arrayspeed.decide.words import SIZES, TIMES, Words
from arrayspeed.model.units import human_bytes, human_time
from arrayspeed.own.records import Record, Records

TIME, FIRST, MEMORY, KEPT, IMPORT, RESULT = "time_call", "first_call", "memory", "kept", "import", "result"

#: The factor of what happens once a process, unless a larger one is asked for: it is noisy, and matters less.
ONCE = 1.10


@dataclass(frozen=True)
class Measure:
    """A measure.

    Attributes
    ----------
    title
        What people call it.
    of
        What a record holds of it.
    least, lift
        A difference that never matters, and the value below which all are alike, in its unit.
    once
        It happens once a process.
    shown
        A value in its unit.
    """

    title: str
    of: Callable[[Record], object]
    words: Words = TIMES
    least: float = 0.0
    lift: float = 0.0
    once: bool = False
    shown: Callable[[float], str] = human_time


MEASURES = {
    TIME: Measure("time", lambda one: one.batches),
    FIRST: Measure("first call", lambda one: one.first, least=0.010, lift=0.005, once=True),
    MEMORY: Measure("memory", lambda one: one.memory, SIZES, least=2.0**20, lift=2.0**16, shown=human_bytes),
    KEPT: Measure("kept by a call", lambda one: one.kept, SIZES, least=64.0, lift=64.0, shown=human_bytes),
    IMPORT: Measure("import", lambda one: one.loaded, least=0.020, lift=0.010, once=True),
}

#: A comparison: function, size, measure and side.
Key = tuple[Hashable, Hashable, str, str]


def observed(
    records: Records, items: Sequence[tuple], rounds: int, factor: float, wanted: Sequence[str] = tuple(MEASURES)
) -> dict[Key, Observed]:
    """Every comparison of a side with the first one, from so many rounds.

    Times carry the failures: a function that fails has no other measure.
    """
    found = {}
    for function, size in [*items, (None, None)]:
        rows = records.of(function, size, rounds)
        for side in records.sides[1:]:
            for name, measure in MEASURES.items():
                if name not in wanted or (name == IMPORT) != (function is None):
                    continue
                pairs = {row[side].round: (row[records.sides[0]], row[side]) for row in rows}
                values = {key: tuple(map(measure.of, pair)) for key, pair in pairs.items()}
                if name != TIME:
                    values = {key: pair for key, pair in values.items() if None not in pair}
                else:
                    asked = {key: pair for key, pair in pairs.items() if any(map(was_timed, pair))}
                    values = {key: values[key] for key in asked}
                if values:
                    found[function, size, name, side] = Observed(
                        {key: pair[0] for key, pair in values.items()},
                        {key: pair[1] for key, pair in values.items()},
                        group=name,
                        factor=max(factor, ONCE) if measure.once else None,
                        least=measure.least,
                        lift=measure.lift,
                        words=measure.words,
                        sometimes=any(subject.sometimes for _, subject in pairs.values()),
                    )
    return found


def was_timed(record: Record) -> bool:
    """Whether a process took turns, or should have and failed."""
    return record.batches is not None or record.why is not None
