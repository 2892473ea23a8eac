"""One round: a new process of every side, which takes all functions in turn with the others, one after the other.

A function that ends its process, or that is still running when its time is up, takes nothing with it: the next function
gets a new process.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from arrayspeed.measure.players import Failed, Interleaving, Samples, interleave
from arrayspeed.model.errors import UserError
from arrayspeed.model.retention import NEVER
from arrayspeed.own import across
from arrayspeed.own.loaded import FINDER
from arrayspeed.own.measures import PEAK
from arrayspeed.own.process import Company, Part, Worker
from arrayspeed.own.records import Record, Size
from arrayspeed.own.results import are_unlike
from arrayspeed.own.script import Script
from arrayspeed.own.sides import Ready
from arrayspeed.own.states import differ


@dataclass(frozen=True)
class Task:
    """What a round has to find out of a function: nothing at all where it is only called once, since what comes after
    it would else make the first calls of the library. ``memory``: whether the memory of a call is asked for, and its
    first call counts. ``clean``: its processes must not have run a function that changed how the allocator treats freed
    memory. ``retained``: when it is timed in the allocator's other state too (`arrayspeed.measure.players`).
    """

    function: str
    size: Size
    timed: bool = True
    kept: bool = True
    values: bool = True
    memory: bool = True
    touch: bool = False
    clean: bool = False
    retained: str = NEVER


@dataclass(frozen=True)
class Plan:
    """How functions are measured. ``tolerance``: of results; ``seed``: what orders are drawn from."""

    turns: Interleaving
    tolerance: float | None = None
    seed: int = 0


class Round:
    """The processes of one round."""

    def __init__(self, number: int, sides: Sequence[Ready], script: Script, plan: Plan, folder: Path) -> None:
        self.number, self.sides, self.script, self.plan, self.folder = number, list(sides), script, plan, folder
        self.workers: dict[str, Worker] = {}
        #: Further processes of a side, for functions that several call at once.
        self.company: dict[str, list[Worker]] = {}
        self.loaded: dict[str, float] = {}
        self.rng = random.Random(f"{plan.seed} {number}")

    def worker(self, side: Ready) -> Worker:
        """Return the side's process, with the file loaded: a new one where there is none, or where it has ended.

        Raises
        ------
        Failed
            The file cannot be loaded.
        """
        found = self.workers.get(side.label)
        if found is None or found.ended:
            found = self.workers[side.label] = Worker(side, self.script)
            try:
                seconds = found.load(self.plan.turns.timeout)["loaded"]
            except Failed:
                found.end()
                raise
            self.loaded.setdefault(side.label, seconds)
            found.stop()
        return found

    def at_once(self, worker: Worker, function: str) -> int:
        """Return how many processes of a side call a function at once."""
        asked: int = self.script.asked.get("parallel") or (worker.loaded or {}).get("parallel", {}).get(function, 1)
        return asked

    def others(self, side: Ready, number: int) -> list[Worker]:
        """Return so many further processes of a side, with the file loaded.

        Raises
        ------
        Failed
            The file cannot be loaded.
        """
        found = self.company[side.label] = [each for each in self.company.get(side.label, []) if not each.ended]
        while len(found) < number:
            found.append(Worker(side, self.script))
            found[-1].load(self.plan.turns.timeout)
            found[-1].stop()
        return found[:number]

    def begin(self) -> list[Record]:
        """Start a process of every side, one after the other in an order that is drawn: how long each took to load."""
        for side in self.rng.sample(self.sides, len(self.sides)):
            try:
                self.worker(side)
            except Failed:
                continue  # every function will say so
        return [Record(self.number, side.label, loaded=self.loaded.get(side.label)) for side in self.sides]

    def renew(self) -> bool:
        """End the processes of all sides, so that there are new ones, where one of them is not clean; whether it did.
        All, because the first function of a process makes the first calls of its libraries.
        """
        company = (each for workers in self.company.values() for each in workers)
        left = [worker for worker in (*self.workers.values(), *company) if not worker.ended]
        if all(worker.clean for worker in left):
            return False
        for worker in left:
            worker.end()
        return True

    def play(self, task: Task) -> list[Record]:
        """Return what every side gave of a function."""
        kinds = [(worker.loaded or {}).get("figures", {}).get(task.function) for worker in self.workers.values()]
        if figure := next(filter(None, kinds), None):
            return [] if task.touch else self.figures(task, figure)
        renewed = task.clean and self.renew()
        at_once = 1
        rng = random.Random(f"{self.plan.seed} {self.number} {task.function} {task.size}")
        parts: list[Part] = []
        taken: dict[str, Samples] = {}
        for side in rng.sample(self.sides, len(self.sides)):
            path = str(self.folder / f"values-{self.sides.index(side)}") if task.values else None
            function = side.side.function or task.function
            request = {
                "function": function,
                "size": task.size,
                "touch": task.touch,
                "memory": task.memory,
                "kept": task.kept,
            }
            try:
                worker = self.worker(side)
                at_once = self.at_once(worker, function)
                carried = any(function in (worker.loaded or {}).get(each, []) for each in across.CARRIED)
                request |= {"values": path, "whole": carried}
                others = self.others(side, at_once - 1)
                parts.append(Company([worker, *others], request) if others else Part(worker, request))
            except Failed as error:
                taken[side.label] = Samples(why=str(error), kind=error.kind)
        if task.timed:
            taken |= interleave(parts, replace(self.plan.turns, retained=task.retained), rng)
        else:
            taken |= {part.name: prepared(part, self.plan.turns.timeout) for part in parts}
        found = {part.name: part.found for part in parts}
        if task.touch:
            return []
        records = [
            record_of(self.number, side.label, task, taken[side.label], found.get(side.label, {}))
            for side in self.sides
        ]
        if renewed and not differ([{record.side: record for record in records}]):
            # In further rounds its processes are not new, and other functions make the first calls of its libraries.
            records = [replace(record, first=None) for record in records]
        if at_once > 1:
            for record in records:
                record.notes.append(["parallel", str(at_once)])
        if task.values:
            self.compare(task, records, found)
        return records

    def figures(self, task: Task, figure: str) -> list[Record]:
        """Return the figure that every side gives in place of a time, one after the other in an order that is drawn.
        The peak of a process is that of a new one.
        """
        found: dict[str, dict[str, Any]] = {}
        records = {
            side.label: Record(self.number, side.label, task.function, task.size, figure=figure) for side in self.sides
        }
        for side in self.rng.sample(self.sides, len(self.sides)):
            record = records[side.label]
            request = {"function": task.function, "size": task.size}
            try:
                worker = self.worker(side)
                if figure == PEAK and worker.used:
                    worker.end()
                    worker = self.worker(side)
                request["figure"] = str(self.folder / f"values-{self.sides.index(side)}")
                found[side.label] = across.asked(worker, request, self.plan.turns.timeout)
                record.metric = found[side.label]["figure"]
            except Failed as error:
                record.why, record.kind = str(error), error.kind
        first, *others = records.values()
        for record in others:
            if first.side in found and record.side in found and None in (first.metric, record.metric):
                record.result = across.figures_compared(found[first.side], found[record.side], self.plan.tolerance)
        return list(records.values())

    def compare(self, task: Task, records: Sequence[Record], found: Mapping[str, dict[str, Any]]) -> None:
        """Note whether the sides returned the same, and what each made of what another one returned."""
        first, *others = self.sides
        one = found.get(first.label, {})
        timeout = self.plan.turns.timeout
        for side, record in zip(others, records[1:], strict=True):
            other = found.get(side.label, {})
            given = [each.get("files") or each.get("whole") for each in (one, other)]
            if not all(given):
                if not are_unlike(one, other):
                    continue
                for each in (records[0], record):  # what holds them was compared
                    each.notes[:] = [note for note in each.notes if note[0] != "unknown"]
            function = side.side.function or task.function
            try:
                judged = across.judged(self.workers[side.label], function, one, other, self.plan.tolerance, timeout)
            except Failed as error:
                raise UserError(f"{self.script.name}: {error}") from error
            by_file = function in (self.workers[side.label].loaded or {}).get(across.SAME, [])
            record.result = judged.data() | {
                "summary": [one.get("summary"), other.get("summary")],
                # Results that the file's own function judges may differ from process to process.
                "digests": [None, None] if by_file else [one.get("digest"), other.get("digest")],
            }
            if by_file:
                record.notes.append(["judged", across.name_of(across.SAME, function)])
        if all(task.function in (worker.loaded or {}).get(across.EXCHANGE, []) for worker in self.workers.values()):
            made = {side.label: found.get(side.label, {}) for side in self.sides}
            pairs = across.exchanged(self.workers, task.function, made, self.plan.tolerance, timeout, self.folder)
            for record in records:
                record.exchanged = [
                    {"maker": maker, **one.data()} for (maker, reader), one in pairs.items() if reader == record.side
                ]

    def pools(self) -> dict[str, list[dict[str, Any]] | None]:
        """Return which BLAS and OpenMP the process of each side has loaded by now, of those that have not ended."""
        left = {label: worker for label, worker in self.workers.items() if not worker.ended}
        return {label: worker.pools(FINDER, self.plan.turns.timeout) for label, worker in left.items()}

    def end(self) -> None:
        """End all processes."""
        for worker in (*self.workers.values(), *(each for company in self.company.values() for each in company)):
            worker.end()


def prepared(part: Part, timeout: float) -> Samples:
    """Return a function that takes no turns."""
    taken = Samples()
    try:
        part.ready(timeout)
    except Failed as error:
        taken.fail(error)
    part.end()
    return taken


def record_of(number: int, side: str, task: Task, taken: Samples, data: dict[str, Any]) -> Record:
    """Return what one side gave."""
    works = taken.value is not None
    return Record(
        number,
        side,
        task.function,
        task.size,
        batches=taken.batches if works else None,
        number=taken.number if works else None,
        faults=taken.page_faults if works else None,
        retained=taken.retained.batches if works and taken.retained else None,
        retained_faults=taken.retained.page_faults if works and taken.retained else None,
        first=data.get("first") if task.memory else None,
        memory=data.get("memory"),
        kept=data.get("kept"),
        resident=data.get("resident"),
        resident_within=data.get("within"),
        why=taken.why,
        kind=taken.kind,
        sometimes=taken.sometimes,
        notes=[*data.get("notes", []), *failure_retaining(taken)],
    )


def failure_retaining(taken: Samples) -> list[list[str | None]]:
    """Return the note of a function that works, but not where its process retains freed memory."""
    again = taken.retained
    return [["retained", again.why]] if taken.value is not None and again is not None and again.value is None else []


@contextmanager
def rounds(sides: Sequence[Ready], script: Script, plan: Plan) -> Iterator[Callable[[int], Round]]:
    """Within, a function that makes round after round, and ends the one before."""
    made: list[Round] = []
    with tempfile.TemporaryDirectory(prefix="arrayspeed-") as folder:

        def next_round(number: int) -> Round:
            while made:
                made.pop().end()
            made.append(Round(number, sides, script, plan, Path(folder)))
            return made[0]

        try:
            yield next_round
        finally:
            while made:
                made.pop().end()


def first_look(sides: Iterable[Ready], script: Script, timeout: float) -> dict[str, dict[str, Any]]:
    """Return what every side answers when it has loaded the file; or ``failed`` and ``kind``. Nothing of it is
    measured: what is run for the first time is compiled to bytecode, and read from the disk.
    """
    found: dict[str, dict[str, Any]] = {}
    for side in sides:
        worker = Worker(side, script)
        try:
            found[side.label] = worker.load(timeout)
        except Failed as error:
            found[side.label] = {"failed": str(error), "kind": error.kind}
        finally:
            worker.end()
    return found
