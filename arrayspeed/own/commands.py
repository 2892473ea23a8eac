"""A command that prints a figure: a new process for each side and round, one after the other in an order that is drawn.

Nothing of it takes turns, so it needs a quiet machine more than functions do.
"""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from arrayspeed.model.errors import UserError
from arrayspeed.model.failures import ERROR, TIMED_OUT
from arrayspeed.model.text import printable
from arrayspeed.own.measures import METRIC, METRIC_MORE
from arrayspeed.own.process import surroundings
from arrayspeed.own.records import Record
from arrayspeed.own.rounds import Plan, Task
from arrayspeed.own.script import COMMAND, Script
from arrayspeed.own.sides import Ready


@dataclass(frozen=True)
class Ran:
    """What a command did: its output, or why it failed and how."""

    output: str = ""
    why: str = ""
    kind: str = ""


class CommandRound:
    """One round of a command, which is run once on every side, however many figures it prints."""

    def __init__(self, number: int, sides: Sequence[Ready], script: Script, plan: Plan) -> None:
        self.number, self.sides, self.script, self.plan = number, list(sides), script, plan
        self.ran: dict[str, Ran] = {}

    def play(self, task: Task) -> list[Record]:
        """Return what every side printed of a metric."""
        if not self.ran:
            rng = random.Random(f"{self.plan.seed} {self.number}")
            self.ran = {side.label: self.run(side) for side in rng.sample(self.sides, len(self.sides))}
        return [self.record(side, task) for side in self.sides]

    def run(self, side: Ready) -> Ran:
        """Run it on a side."""
        process = subprocess.Popen(
            ["/bin/sh", "-c", self.script.command],
            cwd=self.script.path,
            env=surroundings(side),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            output = process.communicate(timeout=self.plan.turns.timeout)[0].decode("utf-8", "replace")
        except subprocess.TimeoutExpired:
            return Ran(why="it was still running when its time was up, and was ended", kind=TIMED_OUT)
        finally:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        if process.returncode:
            lines = [line.strip() for line in output.splitlines() if line.strip()]
            said = f": {printable(lines[-1])[:200]}" if lines else ""
            return Ran(why=f"status {process.returncode}{said}", kind=ERROR)
        return Ran(output)

    def record(self, side: Ready, task: Task) -> Record:
        """Return what a side printed of a metric."""
        ran, group = self.ran[side.label], group_of(task.function)
        record = Record(self.number, side.label, task.function, task.size)
        record.figure = METRIC_MORE if group in self.script.more else METRIC
        if ran.why:
            record.why, record.kind = ran.why, ran.kind
            return record
        record.metric = metric(ran.output, self.script.metric, group)
        if record.metric is None:
            of = f" ({group})" if group else ""
            record.why, record.kind = f"it printed no number above 0 that matches {self.script.metric}{of}", ERROR
        return record


def group_of(function: str) -> str:
    """Return the name of a metric; "" where there is only one, which has none."""
    return "" if function == COMMAND else function


def metric(output: str, pattern: str, group: str = "") -> float | None:
    """Return the last number that a group of the pattern matches; the first group where it has no name."""
    found = None
    for match in re.finditer(pattern, output):
        with suppress(ValueError, IndexError, TypeError):
            value = float(match.group(group or 1))
            found = value if 0 < value < float("inf") else found
    return found


def metrics(pattern: str, more: Sequence[str] | None = None) -> tuple[list[str], tuple[str, ...]]:
    """Return the metrics that a pattern finds, by their names, and those of which more is better.

    ``more``: their names; of all where it is empty, of none where it is None.

    Raises
    ------
    UserError
        The pattern is no regular expression, or has not one group or named ones, or has none of the name.
    """
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise UserError(f"--metric {pattern!r} is not a regular expression: {error}") from error
    named = list(compiled.groupindex)
    if (compiled.groups != 1 and not named) or (named and len(named) != compiled.groups):
        raise UserError(
            f"--metric {pattern!r} needs one group, which is the number: 'step_ms=([0-9.]+)'; or a name for each: "
            "'step_ms=(?P<step>[0-9.]+)'"
        )
    for name in more or ():
        if name not in named:
            raise UserError(f"--more-is-better {name}: --metric has {', '.join(named) or 'one group, without a name'}")
    return named or [COMMAND], tuple(more or named or [""]) if more is not None else ()


@contextmanager
def command_rounds(sides: Sequence[Ready], script: Script, plan: Plan) -> Iterator[Callable[[int], CommandRound]]:
    """Within, a function that makes round after round."""
    yield lambda number: CommandRound(number, sides, script, plan)
