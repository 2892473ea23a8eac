"""Imports of modules alone: a new process for each, side and round, with bytecode that is there and with none.

*Cold* is the first import after an installation: what lies outside the standard library is compiled, and its bytecode
is written. *Warm* is every later one. The bytecode of both is kept in a folder of the round, so that nothing is written
to an environment and nothing there decides which of the two it is. Files are in memory in both.
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from arrayspeed.decide.growth import GREW, Growth, Itemised, grown
from arrayspeed.model.moved import moved
from arrayspeed.model.text import printable
from arrayspeed.model.units import human_time
from arrayspeed.own.process import ending, surroundings
from arrayspeed.own.records import Item, Record, Records
from arrayspeed.own.rounds import Plan, Task
from arrayspeed.own.script import PREFIX, Script
from arrayspeed.own.sides import Ready

COLD, WARM = "cold bytecode", "warm bytecode"

#: The fewest rounds from which modules are named, and the most that are.
FEWEST, MOST = 3, 5

#: Among whatever the module prints: where its import begins and ends, and where the answer of the process does.
BEGINS, ENDS, ANSWER = "@arrayspeed begins@", "@arrayspeed ends@", "@arrayspeed answers@"

#: What a process does. Files that lie outside the interpreter's own folders may change from run to run.
PROGRAM = f"""import sys, time
name = sys.argv[1]
sys.stderr.write("\\n{BEGINS}\\n")
started = time.perf_counter()
__import__(name)
seconds = time.perf_counter() - started
sys.stderr.write("\\n{ENDS}\\n")
import hashlib, json, os, sysconfig
own = tuple(os.path.join(os.path.realpath(folder), "") for folder in (sys.prefix, sys.base_prefix))
local = {{}}
for module in list(sys.modules.values()):
    path = getattr(module, "__file__", None)
    if isinstance(path, str) and os.path.isfile(path) and not os.path.realpath(path).startswith(own):
        with open(path, "rb") as file:
            local[path] = hashlib.sha256(file.read()).hexdigest()
answer = {{"seconds": seconds, "standard": sysconfig.get_path("stdlib"), "local": local}}
sys.stderr.write("\\n{ANSWER}" + json.dumps(answer) + "\\n")
sys.stderr.flush()
os._exit(0)
"""

#: A line of -X importtime: microseconds of a module alone, and with what it imports; its name.
LINE = re.compile(r"^import time:\s*(\d+) \|\s*(\d+) \|\s*(\S.*)$", re.MULTILINE)


class NotImported(Exception):
    """A module cannot be imported, or not in time. ``kind``: a class of failure."""

    def __init__(self, why: str, kind: str = "error") -> None:
        super().__init__(printable(why)[:300])
        self.kind = kind


class ImportRound:
    """One round: every module on every side, in an order that is drawn."""

    def __init__(self, number: int, sides: Sequence[Ready], script: Script, plan: Plan, folder: Path) -> None:
        self.number, self.sides, self.script, self.plan, self.folder = number, list(sides), script, plan, folder

    def play(self, task: Task) -> list[Record]:
        """Return the seconds of an import on every side; of a warm one those of each module besides."""
        if task.touch:
            return []
        rng = random.Random(f"{self.plan.seed} {self.number} {task.function} {task.size}")
        found = {side.label: self.one(side, task) for side in rng.sample(self.sides, len(self.sides))}
        return [found[side.label] for side in self.sides]

    def one(self, side: Ready, task: Task) -> Record:
        """One side."""
        record = Record(self.number, side.label, task.function, task.size)
        module = task.function.removeprefix(PREFIX)
        try:
            warm, standard = self.bytecode(side, module)
            if task.size == COLD:
                with tempfile.TemporaryDirectory(dir=self.folder) as empty:
                    shutil.copytree(standard, empty, dirs_exist_ok=True)
                    record.loaded = self.seconds(side, module, Path(empty))
            else:
                record.loaded = self.seconds(side, module, warm)
                record.modules = self.modules(side, module, warm)
        except NotImported as error:
            record.why, record.kind = str(error), error.kind
        return record

    def bytecode(self, side: Ready, module: str) -> tuple[Path, Path]:
        """Return two folders with the bytecode of what a module imports: all of it, and that of the standard library.

        Raises
        ------
        NotImported
            It cannot be imported.
        """
        name = f"{self.sides.index(side)}-{module}"
        warm, standard = self.folder / f"{name}-warm", self.folder / f"{name}-standard"
        if not standard.exists():
            answer = answer_of(self.run(side, module, warm))
            own = Path(str(warm) + answer["standard"])
            warm.mkdir(exist_ok=True)  # a module of C alone has no bytecode
            if own.exists():
                ignored = shutil.ignore_patterns("site-packages", "dist-packages")
                shutil.copytree(own, Path(str(standard) + answer["standard"]), ignore=ignored)
            standard.mkdir(exist_ok=True)
        return warm, standard

    def seconds(self, side: Ready, module: str, bytecode: Path) -> float:
        """Return the seconds of an import, without Python's own start.

        Raises
        ------
        NotImported
            It cannot be imported.
        """
        return max(float(answer_of(self.run(side, module, bytecode))["seconds"]), 1e-6)

    def modules(self, side: Ready, module: str, bytecode: Path) -> dict[str, float]:
        """Return the seconds of each module that is imported, without those that it imports itself.

        Raises
        ------
        NotImported
            It cannot be imported.
        """
        text = self.run(side, module, bytecode, "-X", "importtime").partition(BEGINS)[2].partition(ENDS)[0]
        found: dict[str, float] = {}
        for own, _, name in LINE.findall(text):
            found[name.strip()] = found.get(name.strip(), 0.0) + int(own) / 1e6
        return found

    def run(self, side: Ready, module: str, bytecode: Path, *options: str) -> str:
        """Return what a process writes on standard error.

        Raises
        ------
        NotImported
            It does not import the module, or not in time.
        """
        return imported(side, module, bytecode, self.script.path, self.plan.turns.timeout, options)


def imported(
    side: Ready, module: str, bytecode: Path, folder: Path, timeout: float, options: Sequence[str] = ()
) -> str:
    """Import a module in a new process of a side, and return what that wrote on standard error.

    Raises
    ------
    NotImported
        It does not import the module, or not in time.
    """
    variables = surroundings(side) | {"PYTHONPYCACHEPREFIX": str(bytecode)}
    variables.pop("PYTHONDONTWRITEBYTECODE", None)
    process = subprocess.Popen(
        [side.executable, *options, "-c", PROGRAM, module],
        cwd=folder,
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        text = process.communicate(timeout=timeout)[1].decode("utf-8", "replace")
    except subprocess.TimeoutExpired:
        raise NotImported("it was still running when its time was up, and was ended", "timed out") from None
    finally:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    if ANSWER in text:
        return text
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("import time:")]
    said = lines[-1] if lines and not lines[-1].startswith("@arrayspeed") else ""
    if process.returncode < 0:
        raise NotImported(ending(process.returncode), "crashed")
    raise NotImported(said or ending(process.returncode))


def answer_of(text: str) -> dict[str, Any]:
    """Return the answer of a process, from what it wrote."""
    found: dict[str, Any] = json.loads(text.rpartition(ANSWER)[2].splitlines()[0])
    return found


def dearer(records: Records, what: Item, sides: tuple[str, str]) -> str:
    """Return the modules whose own time is shown to have grown from one side to another, the largest growth first; ""
    where none is, or where they were not timed.
    """
    pairs = [
        (old, new)
        for row in records.of(*what, records.rounds)
        if (old := row[sides[0]].modules) and (new := row[sides[1]].modules)
    ]
    if len(pairs) < FEWEST:
        return ""
    names = moved({name for old, _ in pairs for name in old}, {name for _, new in pairs for name in new}, ".")
    rounds = [
        (
            Itemised({names.get(name, name): value for name, value in old.items()}),
            Itemised(new),
        )
        for old, new in pairs
    ]
    parts = list(dict.fromkeys(part for pair in rounds for each in pair for part in each.parts))
    grew = [(part, each) for part, each in grown(rounds, parts).items() if each.verdict == GREW]
    grew.sort(key=lambda pair: -pair[1].difference)
    said = [f"{name} {human_time(each.old)} → {human_time(each.new)} ({interval(each)})" for name, each in grew[:MOST]]
    more = f" and {len(grew) - MOST} more" if len(grew) > MOST else ""
    return f"modules that became dearer by themselves: {', '.join(said)}{more}" if said else ""


def interval(growth: Growth) -> str:
    """Return a growth with its interval."""
    low, high = (human_time(max(0.0, each)) for each in (growth.low, growth.high))
    return f"+{human_time(growth.difference)}, {low} to {high}"


def first_look(sides: Sequence[Ready], script: Script, timeout: float) -> dict[str, dict[str, Any]]:
    """Return what there is to measure on every side, and the local modules that it depends on: path -> digest.

    Nothing of it is measured: what is imported for the first time is read from the disk.
    """
    items = [(f"{PREFIX}{module}", size) for module in script.modules for size in (COLD, WARM)]
    found = {}
    for side in sides:
        local: dict[str, str] = {}
        with tempfile.TemporaryDirectory(prefix="arrayspeed-") as folder:
            for module in script.modules:
                with suppress(NotImported):  # the rounds say so
                    local |= answer_of(imported(side, module, Path(folder), script.path, timeout))["local"]
        found[side.label] = {"items": items, "notes": [], "modules": local}
    return found


@contextmanager
def import_rounds(sides: Sequence[Ready], script: Script, plan: Plan) -> Iterator[Callable[[int], ImportRound]]:
    """Within, a function that makes round after round."""
    with tempfile.TemporaryDirectory(prefix="arrayspeed-") as folder:
        yield lambda number: ImportRound(number, sides, script, plan, Path(folder))
