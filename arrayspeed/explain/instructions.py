"""Instructions of a call on both sides: a witness that other programs on the machine do not touch.

The processor's own counter is read where the system has it. Elsewhere Callgrind counts, whose processor is emulated: it
has no AVX-512, so that libraries may choose other code than they do on this machine.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from arrayspeed.measure.players import Failed
from arrayspeed.own.process import Worker
from arrayspeed.own.script import Script
from arrayspeed.own.sides import Ready
from arrayspeed.own.until_decided import Item

COUNTER, CALLGRIND = "the processor's counter, on one core", "Callgrind, on one core"

#: Calls longer than this, in seconds, are not counted by Callgrind, which takes some fifty times as long.
LONGEST = 0.2

#: Seconds of calls, as they take without Callgrind, in its first window; the second has three times as many.
WINDOW = 0.01

#: Seconds for getting a function ready within Callgrind, and for an answer of its control program.
PATIENCE, CONTROL = 120.0, 20.0

#: Variables by which a user chooses code for the processor that is there, and which crash an emulated one.
FOR_THE_PROCESSOR = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")

NOT_HERE = "the system gives no access to the processor's counter, and valgrind is not installed"


@dataclass(frozen=True)
class Instructions:
    """Instructions of a call, old and new; ``how``: who counted; or ``why`` they were not."""

    old: float | None = None
    new: float | None = None
    how: str = ""
    why: str = ""

    @property
    def known(self) -> tuple[float, float] | None:
        """Both sides; None where they were not counted."""
        return None if self.old is None or self.new is None else (self.old, self.new)


def count(script: Script, sides: tuple[Ready, Ready], item: Item, seconds: float, timeout: float) -> Instructions:
    """Count a function's instructions on both sides; ``seconds``: of the longer side's call."""
    try:
        known = [by_counter(script, side, item, seconds, timeout) for side in sides]
        if known[0] is not None and known[1] is not None:
            return Instructions(known[0], known[1], COUNTER)
        if not (shutil.which("valgrind") and shutil.which("callgrind_control")):
            return Instructions(why=NOT_HERE)
        if seconds > LONGEST:
            return Instructions(why=f"a call is longer than {LONGEST:g} s, which would take Callgrind minutes")
        old, new = (by_callgrind(script, side, item, seconds) for side in sides)
    except Failed as error:
        return Instructions(why=str(error))
    return Instructions(old, new, CALLGRIND)


def by_counter(script: Script, side: Ready, item: Item, seconds: float, timeout: float) -> float | None:
    """Return instructions of a call by the processor's counter; None where the system does not let a process read it.

    Raises
    ------
    Failed
        The function fails.
    """
    worker = Worker(steady(side), script)
    try:
        on_one_core(worker)
        prepare(worker, side, item, timeout)
        worker.ask({"instructions": calls(seconds)})
        value = worker.answer(time.monotonic() + timeout)["instructions"]
        return None if value is None else float(value)
    finally:
        worker.end()


def by_callgrind(script: Script, side: Ready, item: Item, seconds: float) -> float:
    """Return instructions of a call within Callgrind: what more calls take on top of fewer, and nothing else.

    Raises
    ------
    Failed
        The function fails there, or Callgrind does.
    """
    number = calls(seconds)
    with tempfile.TemporaryDirectory(prefix="arrayspeed-") as folder:
        before = ["valgrind", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={folder}/out"]
        worker = Worker(emulated(steady(side)), script, before)
        try:
            on_one_core(worker)
            prepare(worker, side, item, PATIENCE)
            control(worker, "-i", "on")
            batch(worker, 1)  # its code is translated
            control(worker, "-z")
            few, many = (counted(worker, each, Path(folder)) for each in (number, 3 * number))
        except Failed as error:
            raise Failed(f"not counted in {side.label} by Callgrind: {error}") from error
        finally:
            worker.end()
    return (many - few) / (2 * number)


def on_one_core(worker: Worker) -> None:
    """Keep a process that has just begun to one core: threads that wait for each other by spinning would be counted."""
    with suppress(OSError):
        os.sched_setaffinity(worker.pid, [min(os.sched_getaffinity(0))])


def calls(seconds: float) -> int:
    """Return the calls of a window."""
    return max(1, round(WINDOW / seconds))


def prepare(worker: Worker, side: Ready, item: Item, timeout: float) -> None:
    """Get a function ready."""
    worker.load(timeout)
    worker.ask({"function": side.side.function or item[0], "size": item[1]})
    worker.answer(time.monotonic() + timeout)


def batch(worker: Worker, number: int) -> None:
    """Have a process make so many calls; a batch that is timed may have one more."""
    worker.ask({"instructions": number})
    worker.answer(time.monotonic() + PATIENCE)


def counted(worker: Worker, number: int, folder: Path) -> int:
    """Return the instructions of so many calls, and of what is between them."""
    known = set(folder.iterdir())
    batch(worker, number)
    control(worker, "-d")
    for path in sorted(set(folder.iterdir()) - known):
        if found := re.search(r"(?m)^(?:totals|summary): (\d+)", path.read_text(errors="replace")):
            return int(found[1])
    raise Failed("it wrote down no count")


def control(worker: Worker, *arguments: str) -> None:
    """Tell Callgrind what to do.

    Raises
    ------
    Failed
        It does not listen.
    """
    command = ["callgrind_control", *arguments, str(worker.pid)]
    with suppress(subprocess.TimeoutExpired, OSError):
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=CONTROL)
        if done.returncode == 0 and "OK" in done.stdout:
            return
    raise Failed(f"`{' '.join(command[:2])}` is not answered")


def steady(side: Ready) -> Ready:
    """Return a side whose hashes are the same in all processes."""
    return with_variables(side, {"PYTHONHASHSEED": "0"} | dict(side.side.variables))


def emulated(side: Ready) -> Ready:
    """Return a side whose libraries choose code for the processor that they see, unless the side itself says which."""
    inherited = {name: "" for name in FOR_THE_PROCESSOR if name in os.environ}
    return with_variables(side, inherited | dict(side.side.variables))


def with_variables(side: Ready, variables: dict[str, str]) -> Ready:
    """Return a side with these environment variables."""
    return replace(side, side=replace(side.side, variables=tuple(sorted(variables.items()))))
