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

from arrayspeed.model.errors import UserError
from arrayspeed.model.text import printable
from arrayspeed.own.process import surroundings
from arrayspeed.own.records import Record
from arrayspeed.own.rounds import Plan, Task
from arrayspeed.own.script import Script
from arrayspeed.own.sides import Ready


class CommandRound:
    """One round of a command."""

    def __init__(self, number: int, sides: Sequence[Ready], script: Script, plan: Plan) -> None:
        self.number, self.sides, self.script, self.plan = number, list(sides), script, plan

    def play(self, task: Task) -> list[Record]:
        """Return what every side printed."""
        rng = random.Random(f"{self.plan.seed} {self.number}")
        found = {}
        for side in rng.sample(self.sides, len(self.sides)):
            found[side.label] = self.one(side, task)
        return [found[side.label] for side in self.sides]

    def one(self, side: Ready, task: Task) -> Record:
        """One run."""
        record = Record(self.number, side.label, task.function, task.size)
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
            record.why, record.kind = "it was still running when its time was up, and was ended", "timed out"
            return record
        finally:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        record.metric = metric(output, self.script.metric)
        if process.returncode:
            lines = [line.strip() for line in output.splitlines() if line.strip()]
            record.metric, record.kind = None, "error"
            record.why = f"status {process.returncode}" + (f": {printable(lines[-1])[:200]}" if lines else "")
        elif record.metric is None:
            record.why, record.kind = f"it printed no number above 0 that matches {self.script.metric}", "error"
        return record


def metric(output: str, pattern: str) -> float | None:
    """Return the last number that the pattern's group matches."""
    found = None
    for match in re.finditer(pattern, output):
        with suppress(ValueError, IndexError):
            value = float(match.group(1))
            found = value if 0 < value < float("inf") else found
    return found


def check_metric(pattern: str) -> None:
    """Whether a pattern has the group that is the number.

    Raises
    ------
    UserError
        It has not, or is no regular expression.
    """
    try:
        groups = re.compile(pattern).groups
    except re.error as error:
        raise UserError(f"--metric {pattern!r} is not a regular expression: {error}") from error
    if groups != 1:
        raise UserError(f"--metric {pattern!r} needs one group, which is the number: 'step_ms=([0-9.]+)'")


@contextmanager
def command_rounds(sides: Sequence[Ready], script: Script, plan: Plan) -> Iterator[Callable[[int], CommandRound]]:
    """Within, a function that makes round after round."""
    yield lambda number: CommandRound(number, sides, script, plan)
