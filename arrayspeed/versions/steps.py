"""A library over its releases: what each combination of kernel, backend and size takes in every release, as a ratio to
one of them, and the releases that changed it.

Releases are compared by what met: a process of each in one round of a block, taking turns. `arrayspeed.decide` says
what differs. Releases that never met are compared as well, with what a machine changes from minute to minute added;
each such comparison is marked as not measured side by side, and only large changes can be shown.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import cast

from arrayspeed.decide import FACTOR, Decision, Observed, judge
from arrayspeed.decide.means import Mean, mean_of_rounds
from arrayspeed.decide.states import agreed
from arrayspeed.decide.words import ALIKE, BROKEN, OPEN
from arrayspeed.model.measures import measure_of
from arrayspeed.model.retention import RETAINED
from arrayspeed.records.processes import page_faults
from arrayspeed.versions.history import Key, Measured, order

#: The verdict of the release that all others are compared with.
ANCHOR = "anchor"


@dataclass(frozen=True)
class Point:
    """One release beside the anchor.

    Attributes
    ----------
    value
        The median of its processes, in the measure's unit; None where all of them failed.
    ratio, low, high
        Release over anchor, and its 95 % interval; None where one of them gave nothing, and of the anchor's interval.
    verdict
        A word of `arrayspeed.decide`, or `ANCHOR`.
    rounds
        Pairs of processes; of the anchor, and of releases that never met it, processes.
    side_by_side
        Whether it met the anchor in a block.
    failed, processes
        How many of its processes failed, and how many there were.
    """

    version: str
    value: float | None
    ratio: float | None
    low: float | None
    high: float | None
    verdict: str
    rounds: int
    side_by_side: bool
    failed: int
    processes: int


@dataclass(frozen=True)
class Step:
    """Two neighbouring releases that are shown to differ: the later, the one before it, and the later over the earlier.

    ``before`` is the release just before or, where that one gave nothing, also the last one that did. ``faults_before``
    and ``faults`` are page faults of a call, where they were counted.
    """

    version: str
    before: str
    verdict: str
    worse: bool
    ratio: float | None
    low: float | None
    high: float | None
    rounds: int
    side_by_side: bool
    value_before: float | None
    value: float | None
    failed_before: int
    processes_before: int
    failed: int
    processes: int
    faults_before: float | None = None
    faults: float | None = None


@dataclass(frozen=True)
class Series:
    """One combination over the releases of its library, in their order. ``side_by_side``: all met the anchor."""

    measure: str
    family: str
    kernel: str
    dtype: str | None
    backend: str
    size: int | None
    device: str | None
    anchor: str
    side_by_side: bool
    points: list[Point] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)


def over_versions(every: list[Measured], factor: float = FACTOR) -> list[Series]:
    """Return the series with their points and steps, each judged over all of the library's together."""
    beside = [(one, one.anchor, version) for one in every for version in one.sides if version != one.anchor]
    between = [(one, before, version) for one in every for before, version in one.neighbours()]
    points: dict[Key, dict[str, Point]] = defaultdict(dict)
    steps: dict[Key, list[Step]] = defaultdict(list)
    for (one, _, version), decision in zip(beside, decide(beside, factor), strict=True):
        points[one.key][version] = point(one, version, decision)
    for (one, before, version), decision in zip(between, decide(between, factor), strict=True):
        if decision.verdict not in (*ALIKE, *OPEN, BROKEN):
            steps[one.key].append(step(one, before, version, decision))
    return [series(one, points[one.key], steps[one.key]) for one in every]


def decide(pairs: Iterable[tuple[Measured, str, str]], factor: float) -> list[Decision]:
    """Decisions of comparisons: combination, reference, subject. A time that changed in one of the allocator's states
    alone, with other page faults, is unclear.
    """
    seen: dict[tuple[int, str], Observed] = {}
    moved = set()
    for number, (one, reference, subject) in enumerate(pairs):
        seen[number, ""] = one.compared(subject, reference)
        if more := one.retaining(subject, reference):
            seen[number, RETAINED] = more
            moved |= {(number, state) for state in ("", RETAINED) if one.moved(subject, reference, bool(state))}
    decisions = dict(zip(seen, judge(list(seen.values()), factor), strict=True))
    both = [((number, ""), (number, state)) for number, state in seen if state]
    return [decision for (_, state), decision in agreed(decisions, both, moved).items() if not state]


def point(measured: Measured, version: str, decision: Decision) -> Point:
    """Return a release beside the anchor."""
    return Point(
        version,
        measured.value(version),
        decision.ratio,
        decision.low,
        decision.high,
        decision.verdict,
        decision.rounds,
        measured.met(version, measured.anchor),
        decision.failed_subject,
        decision.processes_subject,
    )


def anchored(measured: Measured) -> Point:
    """Return the anchor itself."""
    side, value = measured.sides[measured.anchor], measured.value(measured.anchor)
    failed = sum(process.value is None for process in side)
    met = len(measured.sides) == 1 or any(
        measured.met(measured.anchor, other) for other in measured.sides if other != measured.anchor
    )
    ratio = None if value is None else 1.0
    return Point(measured.anchor, value, ratio, None, None, ANCHOR, len(side) - failed, met, failed, len(side))


def step(measured: Measured, before: str, version: str, decision: Decision) -> Step:
    """Two neighbours that are shown to differ."""
    return Step(
        version,
        before,
        decision.verdict,
        decision.worse,
        decision.ratio,
        decision.low,
        decision.high,
        decision.rounds,
        measured.met(before, version),
        measured.value(before),
        measured.value(version),
        decision.failed_reference,
        decision.processes_reference,
        decision.failed_subject,
        decision.processes_subject,
        page_faults(measured.sides[before]),
        page_faults(measured.sides[version]),
    )


def series(measured: Measured, points: Mapping[str, Point], steps: list[Step]) -> Series:
    """One combination with all that is said of it."""
    ordered = [anchored(measured) if version == measured.anchor else points[version] for version in measured.sides]
    together = all(each.side_by_side for each in ordered)
    return Series(*measured.key, measured.anchor, together, ordered, steps)


def means(every: Iterable[Measured]) -> tuple[str, dict[str, Mean]]:
    """Return the anchor of most of these combinations, and the geometric mean over them of each other release's ratio
    to it, formed within each round. Empty where nothing met, and of errors, whose ratios span decades. What takes
    another time where freed memory is retained, and has other page faults than the anchor, is left out.
    """
    every = [one for one in every if not measure_of(one.measure).exact]
    anchors = [one.anchor for one in every]
    if not anchors:
        return "", {}
    common = max(sorted(set(anchors), key=order), key=anchors.count)
    alike = [one for one in every if one.anchor == common]
    found = {}
    for version in sorted({version for one in alike for version in one.sides} - {common}, key=order):
        met = [one for one in alike if version in one.sides and one.met(version, common)]
        met = [one for one in met if not (one.moved(version, common) and one.retaining(version, common))]
        if len(met) > 1 and (mean := mean_of_rounds([in_rounds(one.compared(version, common)) for one in met])):
            found[version] = mean
    return common, found


def in_rounds(observed: Observed) -> dict[Hashable, float]:
    """Return the logarithms of ratios by rounds, named alike for all combinations: the first block's rounds, the
    second's. Blocks have names of their own.
    """
    # As `arrayspeed.records.measures.by_round` names them.
    every, both = (
        cast("Iterable[tuple[Hashable, Hashable]]", names) for names in (observed.reference, observed.rounds)
    )
    blocks = {name: number for number, name in enumerate(dict.fromkeys(block for block, _ in every))}
    return {(blocks[block], number): value for (block, number), value in zip(both, observed.differences(), strict=True)}
