"""What a reader must know of a comparison of own code, in sentences."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from arrayspeed.measure.looking import Limits
from arrayspeed.model.failures import NOT_AVAILABLE
from arrayspeed.model.text import printable
from arrayspeed.own.measures import KEPT, MEASURES, MEMORY, RESIDENT, RETAINED
from arrayspeed.own.records import Item, Records
from arrayspeed.own.script import Script
from arrayspeed.own.sides import Ready, names
from arrayspeed.verdict import builds
from arrayspeed.verdict.notes import STATES, rule

#: Kind of a worker's note -> the sentence; {what} is functions, {detail} libraries or reasons.
SENTENCES = {
    "nothing": "These return nothing, so nothing can be waited for or compared: {what}.",
    "lazy": "These return before their work is done, and their times include the rest of it: {what}.",
    "in place": "These change their arguments, so every call sees what the call before left: {what}.",
    "fresh": "These get new arguments before every call, outside its time: {what}.",
    "parallel": "Times are of a call while {detail} processes of a side call at once, of the last to end: {what}.",
    "threads": "Times are of a call while {detail} threads of a process call at once, of the last to end: {what}.",
    "equal": "The results of {what} are compared by == of their class: {detail}.",
    "judged": "The results of {what} are compared by {detail} of the file.",
    "unknown": "The results of {what} were not compared: {detail}.",
    "assumed": "Nothing is known of {detail}, so calls are assumed to be finished when they return: {what}.",
    "unsteady": "After a second of calls the time or the page faults of a call were still changing: {what}.",
    "retained": "Where the process retains freed memory, these fail: {what}: {detail}.",
}

#: What the two imports of a module are.
IMPORTS = (
    "Cold bytecode: the first import after an installation, which compiles all but the standard library; warm: every "
    "later one. Both are of new processes, without Python's own start and with files in memory. Which modules became "
    "dearer is from further imports with warm bytecode, by -X importtime."
)

#: Functions that a sentence names.
MANY = 10


def notes_of(
    script: Script,
    sides: Sequence[Ready],
    records: Records,
    items: Sequence[Item],
    measured: Iterable[str],
    limits: Limits,
    unclear: float,
) -> list[str]:
    """Return the notes, the rule first."""
    labels = [one.label for one in sides]
    found = [rule(labels[0], limits.factor, limits.limit, unclear)]
    if RETAINED in set(measured):
        found.append(STATES)
    if script.modules:
        found.append(IMPORTS)
    found += not_compared(records, items)
    found += from_workers(records, items)
    if not script.times_only:
        found += not_measured(records, items)
    found += skipped(records)
    found += filter(None, [packages_that_differ(sides), builds.note([one.packages for one in sides])])
    return [printable(line) for line in found]


def name(item: Item) -> str:
    """Return a function and its size."""
    function, size = item
    text = str(function).removeprefix("bench_")
    return text if size is None else f"{text}({size})"


def listed(given: Iterable[str]) -> str:
    """Names for a sentence: the first ones where there are many."""
    every = list(given)
    return ", ".join(every) if len(every) <= MANY else f"{', '.join(every[:MANY])} and {len(every) - MANY} more"


def from_workers(records: Records, items: Sequence[Item]) -> list[str]:
    """Return what the processes noted, one sentence for each kind and detail."""
    found: defaultdict[tuple[str, str], dict[str, None]] = defaultdict(dict)
    for item in items:
        for row in records.of(*item, records.rounds):
            for record in row.values():
                for kind, detail in record.notes:
                    found[kind, detail or ""][name(item)] = None
    return [
        SENTENCES[kind].format(what=listed(what), detail=detail)
        for (kind, detail), what in found.items()
        if kind in SENTENCES
    ]


def not_compared(records: Records, items: Sequence[Item]) -> list[str]:
    """Results that were not compared, and why."""
    found: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for item in items:
        rows = records.of(*item, records.rounds)
        for side in records.sides[1:]:
            results = [result for row in rows if (result := row[side].result)]
            for one in results:
                if one["same"] is None and one["detail"]:
                    found[one["detail"]][name(item)] = None
            changing = any(len({one["digests"][place] for one in results}) > 1 for place in (0, 1))
            if changing and any(one["same"] is False for one in results):
                found["results differ from process to process"][name(item)] = None
    unread: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for item in items:
        for row in records.of(*item, records.rounds):
            for one in (one for record in row.values() for one in record.exchanged):
                if one["same"] is None:
                    unread[one["detail"]][name(item)] = None
    return [
        *(f"The results of {listed(what)} were not compared: {why}." for why, what in found.items()),
        *(f"What {listed(what)} returned was not given to the other side: {why}." for why, what in unread.items()),
    ]


def not_measured(records: Records, items: Sequence[Item]) -> list[str]:
    """Measures that functions lack although they work."""
    found = []
    for measure in (MEMORY, KEPT, RESIDENT):
        lacking = []
        for item in items:
            rows = records.of(*item, 1)
            if any(
                one.batches is not None and MEASURES[measure].of(one) is None for row in rows for one in row.values()
            ):
                lacking.append(name(item))
        if lacking:
            why = f"{'' if measure == MEMORY else 'calls are too long, or '}the system does not report it"
            title = MEASURES[measure].quantity.title.capitalize()
            found.append(f"{title} was not measured of {listed(lacking)}: {why}.")
    return found


def skipped(records: Records) -> list[str]:
    """Return what skips itself on all sides, so that there is nothing to compare; on some it is a failure there."""
    items = dict.fromkeys((function, size) for function, size, _ in records.found if function is not None)
    found = [
        name(item)
        for item in items
        if any(all(one.kind == NOT_AVAILABLE for one in row.values()) for row in records.of(*item, 1))
    ]
    return [f"Skipped by themselves in {' and '.join(records.sides)}: {listed(found)}."] if found else []


def packages_that_differ(sides: Sequence[Ready]) -> str:
    """Return packages other than what is compared whose versions differ between the sides."""
    subjects = (
        {each for one in sides for each in names(one.side.wanted)}
        if all(one.side.lock is None and not one.side.as_is for one in sides)
        else set()
    )
    every = sorted({each for one in sides for each in one.packages}, key=str.lower)
    texts = []
    for each in every:
        versions = [one.packages.get(each, "absent") for one in sides]
        if len(set(versions)) > 1 and each.lower().replace("_", "-").replace(".", "-") not in subjects:
            texts.append(f"{each} {' → '.join(versions)}")
    pythons = [one.version for one in sides]
    if len(set(pythons)) > 1:
        texts.insert(0, f"Python {' → '.join(pythons)}")
    return f"Packages that differ: {', '.join(texts)}." if texts else ""
