"""How each measure of own code is judged: what is too small to matter, and what more and less of it are called."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from statistics import median

from arrayspeed.decide import Observed
from arrayspeed.decide.observed import Value, halfway
from arrayspeed.decide.words import SIZES, TIMES, Words
from arrayspeed.model.failures import NOT_AVAILABLE
from arrayspeed.model.measures import CALL
from arrayspeed.model.units import human_bytes, human_time, significant
from arrayspeed.own.records import Item, Record, Records, Size
from arrayspeed.own.states import differ

TIME, FIRST, MEMORY, KEPT, RESIDENT, IMPORT = CALL.name, "first_call", "memory", "kept", "resident", "import"

#: The time of a call where the process retains freed memory, which is judged where it is another.
RETAINED = "time_retained"

#: Whether results are the same, and what a command printed.
RESULT, METRIC = "result", "metric"

#: What records of a command call it.
COMMAND = "command"

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
    within
        What a record's value may be wrong by, where the process knows it.
    """

    title: str
    of: Callable[[Record], Value]
    words: Words = TIMES
    least: float = 0.0
    lift: float = 0.0
    once: bool = False
    shown: Callable[[float], str] = human_time
    within: Callable[[Record], float | None] = lambda one: None


MEASURES = {
    TIME: Measure("time", lambda one: one.batches),
    RETAINED: Measure("time, memory retained", lambda one: one.retained),
    FIRST: Measure("first call", lambda one: one.first, least=0.010, lift=0.005, once=True),
    MEMORY: Measure("memory", lambda one: one.memory, SIZES, least=2.0**20, lift=2.0**16, shown=human_bytes),
    KEPT: Measure("kept by a call", lambda one: one.kept, SIZES, least=64.0, lift=64.0, shown=human_bytes),
    RESIDENT: Measure(
        "memory growth",
        lambda one: one.resident,
        SIZES,
        least=2.0**10,
        lift=2.0**10,
        shown=human_bytes,
        within=lambda one: one.resident_within,
    ),
    IMPORT: Measure("import", lambda one: one.loaded, least=0.020, lift=0.010, once=True),
    METRIC: Measure("metric", lambda one: one.metric, shown=significant),
}

#: Measures that a function has even where it fails: they carry its failures.
CARRYING = (TIME, METRIC)

#: The side that others are compared with, or two, of which it is the middle.
Reference = str | tuple[str, str]

#: A comparison: function, size, measure, and the side that is compared with the first one; or both sides, where every
#: side is compared with every other one. No function and no size where it is the import.
Key = tuple[str | None, Size, str, str | tuple[Reference, str]]


def observed(
    records: Records, items: Sequence[Item], rounds: int, factor: float, every_pair: bool = False
) -> dict[Key, Observed]:
    """Every comparison of a side with the first one, from so many rounds; of times with ``every_pair`` also of all
    other pairs of sides.
    """
    found: dict[Key, Observed] = {}
    first, *others = records.sides
    for function, size in [*items, (None, None)]:
        rows = records.of(function, size, rounds)
        states = differ(rows)
        names = [name for name in MEASURES if (name == IMPORT) == (function is None) and (name != RETAINED or states)]
        for side in others:
            for name in names:
                if one := of_pair(rows, name, first, side, factor):
                    found[function, size, name, side] = one
        if every_pair and function is not None:
            for pair in combinations(others, 2):
                for name in (TIME, RETAINED)[: 1 + states]:
                    if one := of_pair(rows, name, *pair, factor):
                        found[function, size, name, pair] = one
    return found


def asked_of(records: Records, rounds: int, asked: Mapping[Key, float | None], factor: float) -> dict[Key, Observed]:
    """The comparisons that are asked for, each of both sides of its key, from so many rounds: those of results apart.

    ``asked`` gives the ratio that each is judged by; None is ``factor``, with the differences that never matter. A key
    whose reference is two sides is of the middle between them.
    """
    found = {}
    for key, beyond in asked.items():
        function, size, measure, pair = key
        if measure == RESULT:
            continue
        assert not isinstance(pair, str)  # both sides are in these keys
        one = of_pair(records.of(function, size, rounds), measure, *pair, factor)
        if one is not None:
            found[key] = one if beyond is None else replace(one, factor=beyond, least=0.0)
    return found


def of_pair(
    rows: Sequence[Mapping[str, Record]], name: str, reference: Reference, subject: str, factor: float
) -> Observed | None:
    """One comparison of two sides; None where nothing of it was measured."""
    measure = MEASURES[name]
    values: dict[int, tuple[Value, ...]] = {}
    references = (reference,) if isinstance(reference, str) else reference
    for row in rows:
        pair = *(row[side] for side in references), row[subject]
        given = tuple(map(measure.of, pair))
        # Of two ends and what lies between, all are needed.
        if (any if len(pair) > 2 else all)(one.kind == NOT_AVAILABLE for one in pair):
            continue
        if len(given) > 2:
            given = halfway(given[0], given[1], measure.lift), given[2]
        if any(was_asked(one, name) for one in pair) if name in CARRYING else None not in given:
            values[pair[0].round] = given
    if not values:
        return None
    return Observed(
        {key: pair[0] for key, pair in values.items()},
        {key: pair[1] for key, pair in values.items()},
        group=name,
        factor=max(factor, ONCE) if measure.once else None,
        least=measure.least,
        lift=measure.lift,
        within=max(roughly(measure, rows, side) for side in (*references, subject)),
        words=measure.words,
        sometimes=any(row[subject].sometimes for row in rows),
    )


def roughly(measure: Measure, rows: Sequence[Mapping[str, Record]], side: str) -> float:
    """What a side's values of a measure may be wrong by, the median over its processes: each bounds by itself what the
    code does.
    """
    known = [value for row in rows if (value := measure.within(row[side])) is not None]
    return median(known) if known else 0.0


def was_asked(record: Record, name: str) -> bool:
    """Whether a process was asked for a measure, and gave it or failed: of a command a metric, of a function a time."""
    if (name == METRIC) != (record.function == COMMAND):
        return False
    return MEASURES[name].of(record) is not None or record.why is not None
