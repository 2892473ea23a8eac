"""A worker process, seen from here; and one function in it, as a player that takes turns."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from arrayspeed.measure.players import Failed, Player, Spawned
from arrayspeed.own.script import Script
from arrayspeed.own.sides import Ready

WORKER = Path(__file__).with_name("worker")

#: Seconds that an ended process has to be reaped.
REAPING = 5.0


class Worker(Spawned):
    """`arrayspeed.own.worker` in a side's environment, which has loaded a file or is about to.

    Attributes
    ----------
    loaded
        What it answered when it had loaded the file; None before.
    used
        It was asked for something since it loaded the file.
    clean
        No function has changed how its allocator treats freed memory: for the next function it is as good as new.
    """

    def __init__(self, ready: Ready, script: Script, before: Sequence[str] = ()) -> None:
        """``before``: a command that runs the process."""
        self.loaded: dict[str, Any] | None = None
        self.clean = True
        self.used = False
        command = [*before, ready.executable, str(WORKER)]
        super().__init__(ready.label, command, cwd=script.path.parent, env=surroundings(ready))
        self.ask({"file": str(script.path), "kind": script.kind, **script.asked})
        self.used = False

    def ask(self, request: dict[str, Any] | int) -> None:
        """Send a request."""
        self.used = True
        with suppress(OSError):  # it has ended, and its answer will say so
            self.channel.sendall((json.dumps(request) + "\n").encode())

    def learnt(self, answer: dict[str, Any]) -> None:
        """Note what its allocator has learnt by an answer."""
        if self.loaded and answer.get("learnt", 0) > self.loaded.get("learnt", 0):
            self.clean = False

    def load(self, timeout: float) -> dict[str, Any]:
        """Return what there is to measure, when the file is loaded: ``loaded`` seconds, ``items`` and ``notes``.

        Raises
        ------
        Failed
            It cannot be loaded.
        """
        if self.loaded is None:
            self.loaded = self.answer(time.monotonic() + timeout)
        return self.loaded

    def pools(self, finder: str, timeout: float) -> list[dict[str, Any]] | None:
        """Return which BLAS and OpenMP it has loaded (`arrayspeed.system.pools`); None where it cannot tell."""
        self.go()
        self.ask({"pools": finder})
        try:
            found: list[dict[str, Any]] | None = self.answer(time.monotonic() + timeout).get("pools")
        except Failed:
            return None
        finally:
            self.stop()
        return found

    def answer(self, until: float) -> dict[str, Any]:
        """Its next line; how it ended where it ended."""
        try:
            return super().answer(until)
        except Failed as error:
            if error.kind in ("crashed", "timed out"):
                status = None
                if error.kind == "crashed":
                    with suppress(subprocess.TimeoutExpired):
                        status = self.process.wait(REAPING)
                self.end()
                if status is not None:
                    kind = "out of memory" if status == -signal.SIGKILL else "crashed"
                    raise Failed(ending(status), kind) from error
            raise


def ending(status: int) -> str:
    """Return how a process ended, in words."""
    if status == -signal.SIGKILL:
        return "its process was killed, as Linux does when memory is full"
    if status < 0:
        return f"its process was ended by {signal.Signals(-status).name}"
    return f"it ended its process with status {status}"


def surroundings(ready: Ready) -> dict[str, str]:
    """Return the environment variables of a side's processes."""
    found = dict(os.environ)
    if not ready.side.as_is:
        for name in ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV"):
            found.pop(name, None)
        found["PATH"] = os.pathsep.join([str(Path(ready.executable).parent), found.get("PATH", "")])
    return found | dict(ready.side.variables)


class Part(Player):
    """One function in a worker that measures several, one after the other: what takes turns is the function.

    Whoever plays ends all players; the worker is ended by who started it.

    Attributes
    ----------
    found
        What the worker answered when the function was ready: first call, memory, values.
    """

    def __init__(self, worker: Worker, request: dict[str, Any]) -> None:
        super().__init__(worker.name, worker.pid, worker.channel)
        self.worker = worker
        self.request = request
        self.found: dict[str, Any] = {}

    def answer(self, until: float) -> dict[str, Any]:
        """Its next line."""
        return self.worker.answer(until)

    def ready(self, timeout: float) -> float:
        """Seconds of a call, roughly, when it is prepared."""
        self.go()
        self.worker.ask(self.request)
        self.found = self.answer(time.monotonic() + timeout)
        self.worker.learnt(self.found)
        seconds: float = self.found["ready"]
        return seconds

    def retain(self, timeout: float) -> float:
        """Seconds of a call, roughly, when the process retains freed memory and is warm; another function then needs
        another process.
        """
        self.worker.clean = False
        self.worker.ask({"retain": True})
        return self.seconds("ready", timeout)

    def end(self) -> None:
        """Leave the worker, which goes on to the next function."""
        self.ended = True
        if not self.worker.ended and not self.stopped:
            self.stop()


#: Calls that each worker of several makes at least in a batch, where they take less than so many seconds: of fewer, the
#: last ones meet nobody.
LEAST, AT_MOST = 10, 0.1


class Company(Part):
    """A function in several workers of a side, which call it at once: as one player.

    The first worker says what a call returns and takes, by itself; the others are made ready when it is.
    """

    def __init__(self, workers: Sequence[Worker], request: dict[str, Any]) -> None:
        super().__init__(workers[0], request)
        alone = {"memory": False, "kept": False, "values": None, "whole": False}
        self.others = [Part(worker, request | alone) for worker in workers[1:]]
        self.last = 0.0

    def ready(self, timeout: float) -> float:
        """Seconds of a call, roughly, when all are prepared."""
        self.last = seconds = super().ready(timeout)
        self.stop()
        for other in self.others:
            other.ready(timeout)
            other.stop()
        self.go()
        return seconds

    def batch(self, number: int, timeout: float) -> float:
        """Seconds of a call of the worker that ends last: each makes so many at once with the others. Means would be
        those of workers that have waited and of workers that have not.
        """
        every = (self, *self.others)
        number = max(number, min(LEAST, int(AT_MOST / max(self.last, 1e-9))))
        for one in every:
            one.worker.ask(number)
        self.last = max(one.seconds("seconds", timeout) for one in every)
        return self.last

    def retain(self, timeout: float) -> float:
        """Seconds of a call, roughly, when all processes retain freed memory and are warm."""
        seconds = super().retain(timeout)
        for other in self.others:
            other.retain(timeout)
        return seconds

    def stop(self) -> None:
        """Stop all."""
        super().stop()
        for other in self.others:
            other.stop()

    def go(self) -> None:
        """Let all run."""
        super().go()
        for other in self.others:
            other.go()

    def end(self) -> None:
        """Leave the workers."""
        super().end()
        for other in self.others:
            other.end()
