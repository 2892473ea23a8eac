"""How each measure of own code is judged: what is too small to matter, and what more and less of it are called."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from statistics import median

from arrayspeed.decide import Observed
from arrayspeed.decide.observed import Value, halfway
from arrayspeed.decide.words import SIZES, TIMES, Words
from arrayspeed.model import thresholds
from arrayspeed.model.failures import NOT_AVAILABLE
from arrayspeed.model.measures import CALL
from arrayspeed.model.thresholds import Threshold
from arrayspeed.model.units import human_bytes, human_time, significant
from arrayspeed.own.records import Item, Record, Records, Size
from arrayspeed.own.script import PREFIX
from arrayspeed.own.states import differ
from arrayspeed.verdict.rows import Quantity
from arrayspeed.verdict.verdict import RESULT

TIME, FIRST, MEMORY, KEPT, RESIDENT, IMPORT = CALL.name, "first_call", "memory", "kept", "resident", "import"

#: The time of a call where the process retains freed memory, which is judged where it is another.
RETAINED = "time_retained"

#: What a command printed, of which less is better; of which more is.
METRIC, METRIC_MORE = "metric", "metric_more"

#: What a benchmark of asv gives that is no time of a call, by the names of `arrayspeed.own.worker.figures`.
TRACK, TRACK_TIME, TRACK_MEMORY, PEAK = "tracked", "tracked_time", "tracked_bytes", "tracked_peak"

#: The import of a module alone.
MODULE = "import_alone"


@dataclass(frozen=True)
class Measure:
    """A measure.

    Attributes
    ----------
    quantity
        What it is, for people.
    of
        What a record holds of it.
    words, threshold
        What more and less of it are called, and what counts as a change.
    within
        What a record's value may be wrong by, where the process knows it.
    """

    quantity: Quantity
    of: Callable[[Record], Value]
    words: Words = TIMES
    threshold: Threshold = thresholds.CALLS
    within: Callable[[Record], float | None] = lambda item: None


def figure(
    name: str,
    title: str,
    heading: str,
    shown: Callable[[float], str],
    words: Words = TIMES,
    threshold: Threshold = thresholds.FIGURES,
    inverse: bool = False,
) -> Measure:
    """Return the measure of a figure; ``inverse``: more of it is better, so that its inverse is judged."""

    def of(record: Record) -> float | None:
        if record.figure != name or record.metric is None:
            return None
        return 1 / record.metric if inverse else record.metric

    quantity = Quantity(name, title, heading, shown, carries=True, inverse=inverse)
    return Measure(quantity, of, words, threshold)


MEASURES = {
    TIME: Measure(Quantity(TIME, "time", "Time of a call", human_time, carries=True), lambda item: item.batches),
    RETAINED: Measure(
        Quantity(
            RETAINED,
            "time, memory retained",
            "Time of a call where the process retains freed memory",
            human_time,
            averaged=False,
        ),
        lambda item: item.retained,
    ),
    FIRST: Measure(
        Quantity(FIRST, "first call", "First call", human_time),
        lambda item: item.first,
        threshold=thresholds.FIRST_CALL,
    ),
    MEMORY: Measure(
        Quantity(MEMORY, "memory", "Memory at the peak of a call", human_bytes, averaged=False),
        lambda item: item.memory,
        SIZES,
        thresholds.MEMORY,
    ),
    KEPT: Measure(
        Quantity(KEPT, "kept by a call", "Memory that every call keeps", human_bytes, averaged=False),
        lambda item: item.kept,
        SIZES,
        thresholds.KEPT,
    ),
    RESIDENT: Measure(
        Quantity(
            RESIDENT,
            "memory growth",
            "Growth of the process's own memory with every call",
            human_bytes,
            averaged=False,
        ),
        lambda item: item.resident,
        SIZES,
        thresholds.GROWTH,
        lambda item: item.resident_within,
    ),
    IMPORT: Measure(
        Quantity(IMPORT, "import", "Import of the file", human_time),
        lambda item: item.loaded,
        threshold=thresholds.IMPORT,
    ),
    MODULE: Measure(
        Quantity(MODULE, "import", "Import alone, in a new process", human_time, carries=True),
        lambda item: item.loaded if item.function else None,
        threshold=thresholds.IMPORT,
    ),
    METRIC: figure(METRIC, "metric", "Metric", significant),
    METRIC_MORE: figure(METRIC_MORE, "metric", "Metric, more is better", significant, inverse=True),
    TRACK: figure(TRACK, "tracked", "Tracked number", significant),
    TRACK_TIME: figure(TRACK_TIME, "tracked time", "Tracked time", human_time),
    TRACK_MEMORY: figure(TRACK_MEMORY, "tracked memory", "Tracked memory", human_bytes, SIZES),
    PEAK: figure(PEAK, "peak memory", "Peak memory of the process", human_bytes, SIZES, thresholds.PEAK),
}

#: Figures: what a process gives once, in place of times of calls.
FIGURES = (METRIC, METRIC_MORE, TRACK, TRACK_TIME, TRACK_MEMORY, PEAK)

#: Measures that a function has even where it fails: they carry its failures.
CARRYING = tuple(name for name, measure in MEASURES.items() if measure.quantity.carries)

#: The side that others are compared with, or two, of which it is the middle.
Reference = str | tuple[str, str]

#: A comparison: function, size, measure, and the side that is compared with the first one; or both sides, where every
#: side is compared with every other one. No function and no size where it is the import.
Key = tuple[str | None, Size, str, str | tuple[Reference, str]]


def observed(
    records: Records, items: Sequence[Item], rounds: int, factor: float, every_pair: bool = False
) -> dict[Key, Observed]:
    """Return every comparison of a side with the first one, from so many rounds; of times with ``every_pair`` also of
    all other pairs of sides.
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
    """Return the comparisons that are asked for, each of both sides of its key, from so many rounds: those of results
    apart.

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
        if any(one.figure and one.metric is None and not one.why for one in pair):
            continue  # a figure that has no ratio is compared as a result
        if len(given) > 2:
            given = halfway(given[0], given[1], measure.threshold.floor), given[2]
        if any(was_asked(one, name) for one in pair) if name in CARRYING else None not in given:
            values[pair[0].round] = given
    if not values:
        return None
    return Observed(
        {key: pair[0] for key, pair in values.items()},
        {key: pair[1] for key, pair in values.items()},
        group=name,
        factor=measure.threshold.asked(factor),
        least=measure.threshold.least,
        floor=measure.threshold.floor,
        usual=measure.threshold.noise,
        within=max(roughly(measure, rows, side) for side in (*references, subject)),
        words=measure.words,
        sometimes=any(row[subject].sometimes for row in rows),
    )


def roughly(measure: Measure, rows: Sequence[Mapping[str, Record]], side: str) -> float:
    """Return what a side's values of a measure may be wrong by, the median over its processes: each bounds by itself
    what the code does.
    """
    known = [value for row in rows if (value := measure.within(row[side])) is not None]
    return median(known) if known else 0.0


def was_asked(record: Record, name: str) -> bool:
    """Return whether a process was asked for a measure, and gave it or failed: a figure, the import of a module, or the
    time of a function.
    """
    of_module = (record.function or "").startswith(PREFIX)
    if name != (MODULE if of_module else record.figure or TIME):
        return False
    return MEASURES[name].of(record) is not None or record.why is not None
