"""Measure functions round after round, until every comparison is decided or the limits are reached.

The same looks as those of `arrayspeed.measure.until_decided`, which measures blocks of asv's benchmarks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from arrayspeed.decide import Decision, Observed
from arrayspeed.measure.looking import Clock, Limits, look_by_look
from arrayspeed.model.errors import UserError
from arrayspeed.model.failures import TIMED_OUT
from arrayspeed.own import loaded
from arrayspeed.own.commands import command_rounds
from arrayspeed.own.imports import import_rounds
from arrayspeed.own.measures import (
    FIRST,
    IMPORT,
    KEPT,
    MEMORY,
    METRIC,
    MODULE,
    RESIDENT,
    RETAINED,
    TIME,
    Key,
    asked_of,
    observed,
)
from arrayspeed.own.progress import Progress
from arrayspeed.own.records import Item as Item
from arrayspeed.own.records import Record, Records, Size
from arrayspeed.own.rounds import Plan, Round, Task, rounds
from arrayspeed.own.script import COMMAND, Script
from arrayspeed.own.sides import Ready
from arrayspeed.own.states import differ, when

#: Rounds in which results are compared: the second shows what differs from process to process.
VALUES = 2

#: Rounds after which a function that was never ready in time is not started again.
PATIENCE = 2


def until_decided(
    sides: Sequence[Ready],
    script: Script,
    items: Sequence[Item],
    records: Records,
    limits: Limits,
    plan: Plan,
    every_pair: bool = False,
    asked: Mapping[Key, float | None] | None = None,
) -> dict[Key, Decision]:
    """Make rounds of what is not decided, look at it when it is time to, and return the decisions.

    Rounds that were recorded before are not made again. Ctrl-C and the end of the minutes are no errors: what was not
    decided by then stays so. ``every_pair``: see `arrayspeed.own.measures.observed`; ``asked``: these comparisons
    alone, see `arrayspeed.own.measures.asked_of`.

    Raises
    ------
    UserError
        It was stopped before anything was measured.
    """
    clock = Clock(limits.minutes)
    looks = limits.looks()
    progress = Progress(looks.plan, limits.minutes)
    progress.begin(len(items), len(sides))
    left: list[set[Key] | None] = [None if asked is None else set(asked)]

    def seen_by(rounds: int) -> dict[Key, Observed]:
        if asked is not None:
            return asked_of(records, rounds, asked, limits.factor)
        return observed(records, items, rounds, limits.factor, every_pair)

    make = command_rounds if script.kind == COMMAND else import_rounds if script.modules else rounds
    with make(sides, script, plan) as next_round:

        def play(number: int) -> None:
            if number and nothing_works(items, records, number):
                return
            tasks = tasks_of(items, records, number, left[0])
            if script.times_only:
                tasks = [replace(task, kept=False, values=False, memory=False) for task in tasks]
            has_import = not script.has_file or records.has(None, None, number)
            if not tasks and (has_import or not wants_import(left[0])):
                return
            progress.start(number, len(tasks))
            now = next_round(number)
            if isinstance(now, Round):  # nothing else imports a file
                records.add(now.begin())
            for task in tasks:
                clock.check()
                progress.doing(task.function)
                records.add(now.play(task))
                progress.finish()
            if isinstance(now, Round):
                loaded.keep(records, number, now.pools())

        def go_on(done: int, undecided: set[Key]) -> bool:
            left[0] = undecided
            progress.look(done, looks, len({key[:2] for key in undecided} - {(None, None)}))
            return bool(undecided) and not nothing_works(items, records, done)

        found = look_by_look(looks, play, seen_by, go_on, progress, limits.whole)
    if found.stopped and not any(function for function, *_ in found.decisions):
        raise UserError(f"{found.stopped} before anything was measured")
    return found.decisions


def wants_import(open_: set[Key] | None) -> bool:
    """Return whether a round is worth making for the import alone."""
    return open_ is None or any(key[2] == IMPORT for key in open_)


def tasks_of(items: Sequence[Item], records: Records, number: int, open_: set[Key] | None) -> list[Task]:
    """Return what is left to do in a round, in the file's order; ``open_``: what is undecided, None before the first
    look.

    A function that comes before one whose first call is asked for is called once, whether or not anything else is.
    """
    found: list[Task | None] = []
    for function, size in items:
        wanted = (
            {TIME, RETAINED, FIRST, MEMORY, KEPT, RESIDENT, METRIC, MODULE}
            if open_ is None
            else {key[2] for key in open_ if key[:2] == (function, size)}
        )
        if not wanted or records.has(function, size, number) or hopeless(records, function, size, number):
            found.append(None)
            continue
        shown = differ(records.of(function, size, number))
        retained = when(number, wanted, RETAINED, shown, open_ is None)
        timed, clean = TIME in wanted or RETAINED in wanted, number == 0 or shown
        keeps, values = bool({KEPT, RESIDENT} & wanted), number < VALUES
        found.append(Task(function, size, timed, keeps, values, clean=clean, retained=retained))
    last = max((n for n, task in enumerate(found) if task), default=-1)
    return [
        task or Task(*items[n], False, False, False, touch=True)
        for n, task in enumerate(found)
        if task or (n < last and not hopeless(records, *items[n], number))
    ]


def hopeless(records: Records, function: str, size: Size, number: int) -> bool:
    """Return whether a function failed on all sides, or was never ready in time on one, in the rounds so far."""
    rows = records.of(function, size, number)
    ones = [one for row in rows for one in row.values()]
    broken = bool(ones) and all(one.why and not works(one) and not one.sometimes for one in ones)
    late = [side for side in records.sides if rows and all(row[side].kind == TIMED_OUT for row in rows)]
    return broken or (len(rows) >= PATIENCE and bool(late))


def nothing_works(items: Sequence[Item], records: Records, number: int) -> bool:
    """Return whether more rounds would show nothing, since all functions fail."""
    return all(hopeless(records, *item, number) for item in items)


def works(record: Record) -> bool:
    """Return whether a process gave what it was asked for."""
    known = record.batches, record.metric, record.loaded if record.function else None
    return any(each is not None for each in known)
