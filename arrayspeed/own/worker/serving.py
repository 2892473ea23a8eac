"""The worker: reads requests, a line of JSON each, and answers, a line of JSON each.

The first line says what to load; the answer is ``{"loaded": seconds, "items": [[function, size], ...]}``. Then come
requests ``{"function", "size", "touch", "kept", "values"}``, answered when the function is ready to be measured with
``{"ready": seconds, "first", "memory", "kept", "notes", ...}``, and numbers of calls, answered with
``{"seconds": seconds, "faults": number}`` of a call: how long it took, and how many pages of memory it had the system
provide. ``{"retain": true}`` brings the allocator to its other state and is answered with ``{"ready": seconds}``;
``{"soak": number}`` makes so many calls and is answered with ``seconds`` of a call, bytes that are ``resident`` and
those that the allocators have ``counted`` as handed out;
``{"instructions": number}`` makes so many calls and is answered with ``{"instructions": count}`` of a call, or
None.
``learnt`` in answers is what `allocator.learnt` says. What cannot be done is ``{"failed": why, "kind": kind}``, with
``"sometimes": true`` where other calls of the process succeed. A request ``{"function", "size", "programs": folder}``
is answered with ``{}`` when the function's programs are in ``programs.json`` there, and ``{"pools": path}`` with
``{"pools": [...]}``, what `pools.pools` finds. ``{"across": question, ...}`` is answered as `objects.answer` says,
``{"function", "size", "figure": path}`` with ``{"figure": value}``.

Whatever the functions print is dropped: the channel is a descriptor that they do not know.
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
import sys
from contextlib import suppress

from . import finishing, objects, values
from .allocator import learnt
from .asv_suite import Asv
from .holes import fill
from .inside import page_faults
from .loading import PARALLEL, THREADS, File, Mistake, Skipped, describe_error
from .measuring import Forked, Measured
from .memory import held
from .pools import pools
from .pytest_suite import Pytest

TYPE_CHECKING = False  # type checkers take it as true
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from .again import Again

    #: A file or a suite.
    Loaded = File | Asv | Pytest

#: By the names of `arrayspeed.own.kinds`.
KINDS: dict[str, type[Loaded]] = {"file": File, "asv": Asv, "pytest": Pytest}


class Channel:
    """Standard input and output, moved to where nothing else writes."""

    def __init__(self) -> None:
        self.main = os.getpid()
        self.lines = os.fdopen(os.dup(0), "r", encoding="utf-8")
        self.out = os.dup(1)
        sink = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(sink, descriptor)
        os.close(sink)

    def say(self, row: dict[str, Any]) -> None:
        """Send an answer; a child of a function that gets here has nothing to say."""
        if os.getpid() != self.main:
            os._exit(0)
        data = (json.dumps(row) + "\n").encode()
        while data:
            data = data[os.write(self.out, data) :]

    def read(self) -> dict[str, Any] | int | None:
        """Return the next request; None at the end."""
        line = self.lines.readline()
        request: dict[str, Any] | int | None = json.loads(line) if line else None
        return request


def kind_of(error: BaseException) -> str:
    """Return a class of failure."""
    if isinstance(error, (Mistake, Forked)):
        return "mistake"
    if isinstance(error, MemoryError):
        return "out of memory"
    return "not available" if isinstance(error, Skipped) else "error"


class Session:
    """What was loaded, and the function that is measured now."""

    def __init__(self, channel: Channel, loaded: Loaded, threads: dict[str, int]) -> None:
        self.channel = channel
        self.loaded = loaded
        self.threads = threads
        self.waiting: dict[str, Any] | int | None = None

    def fail(self, error: BaseException, **more: object) -> None:
        """Say why something cannot be done."""
        row: dict[str, Any] = {"failed": describe_error(error, self.loaded.path), "kind": kind_of(error)}
        row.update(more)
        self.channel.say(row)

    def serve(self) -> None:
        """Answer until the other end closes."""
        while True:
            request, self.waiting = self.waiting or self.channel.read(), None
            if request is None:
                return
            if isinstance(request, dict) and "across" in request:
                self.across(request)
            elif isinstance(request, dict) and "figure" in request:
                self.figure(request)
            elif isinstance(request, dict) and "pools" in request:
                self.channel.say({"pools": pools(request["pools"])})
            elif isinstance(request, dict):
                self.measure(request)
            else:
                self.channel.say({"failed": "nothing is ready", "kind": "error"})

    def across(self, request: dict[str, Any]) -> None:
        """Answer a question about what sides returned."""
        try:
            assert isinstance(self.loaded, File)  # others are not asked
            row = objects.answer(self.loaded, request)
        except BaseException as error:
            return self.fail(error)
        return self.channel.say({**row, "learnt": learnt()})

    def figure(self, request: dict[str, Any]) -> None:
        """Have a benchmark give its figure; what is no number above 0 has no ratio, and is compared as a result is."""
        try:
            assert isinstance(self.loaded, Asv)  # others have none
            value = self.loaded.figure(request["function"], request["size"])
            row: dict[str, Any] = {"figure": value if isinstance(value, float) and 0 < value < float("inf") else None}
            if row["figure"] is None:
                shot = values.snapshot(value)
                values.write(request["figure"], shot)
                row.update(digest=values.digest(shot), summary=str(value)[:40], files=[request["figure"]])
        except BaseException as error:
            return self.fail(error)
        return self.channel.say(row)

    def measure(self, request: dict[str, Any]) -> None:
        """Make a function ready, and time its batches until something else is asked for."""
        used = []

        def use(function: Callable[..., Any], arguments: Sequence[Any], again: Again | None = None) -> None:
            used.append(True)
            now = Measured(function, arguments, again, self.threads.get(request["function"], 1))
            (self.show if "programs" in request else self.prepare)(now, request)

        try:
            self.loaded.play(request["function"], request["size"], use)
        except BaseException as error:
            if not used:
                self.fail(error)
            return
        if not used:
            self.fail(Mistake("{} measures nothing".format(request["function"])))

    def show(self, now: Measured, request: dict[str, Any]) -> None:
        """Write down the programs of a function."""
        from . import programs  # a process that measures needs no profiler

        folder = request["programs"]
        try:
            found = programs.programs(now, folder, os.path.dirname(self.loaded.path))
            with open(os.path.join(folder, "programs.json"), "w", encoding="utf-8") as file:
                json.dump(found, file)
        except BaseException as error:
            return self.fail(error)
        return self.channel.say({})

    def prepare(self, now: Measured, request: dict[str, Any]) -> None:
        """Make a function ready, and time its batches."""
        try:
            found = now.prepare(request)
        except BaseException as error:
            never = (Forked, SystemExit, Mistake, finishing.Endless)
            sometimes = not isinstance(error, never) and now.succeeds()
            return self.fail(error, sometimes=sometimes)
        found["ready"] = max(now.each, found["first"] if request.get("touch") else 1e-9)
        self.channel.say(found)
        while True:
            self.waiting = self.channel.read()
            if isinstance(self.waiting, dict) and "retain" in self.waiting:
                self.retain(now)
            elif isinstance(self.waiting, dict) and "soak" in self.waiting:
                self.soak(now, self.waiting["soak"])
            elif isinstance(self.waiting, dict) and "instructions" in self.waiting:
                self.count(now, self.waiting["instructions"])
            elif isinstance(self.waiting, int):
                self.batch(now, self.waiting)
            else:
                return None

    def retain(self, now: Measured) -> None:
        """Have the process retain freed memory."""
        try:
            if not now.retained():
                return self.channel.say({"failed": "the C library's allocator is not glibc's", "kind": "not available"})
        except BaseException as error:
            return self.fail(error, sometimes=not isinstance(error, SystemExit) and now.succeeds())
        return self.channel.say({"ready": max(now.each, 1e-12)})

    def soak(self, now: Measured, number: int) -> None:
        """Make so many calls, no more, and read what the process holds then."""
        try:
            self.channel.say({"seconds": max(now.time(number), 1e-12), **held()} if number else held())
        except (BrokenPipeError, ConnectionError):
            raise
        except BaseException as error:
            self.fail(error)

    def count(self, now: Measured, number: int) -> None:
        """Make so many calls, no more, and count the instructions of each where the system lets a process do that."""
        from . import counting  # a process that measures needs no counter

        try:
            found = None if now.again else counting.counted(lambda: now.loop(number))
            if found is None:
                now.time(number)
        except BaseException as error:
            return self.fail(error)
        return self.channel.say({"instructions": None if found is None else found / number})

    def batch(self, now: Measured, number: int) -> None:
        """Time a batch."""
        try:
            self.channel.say(
                {"seconds": max(now.batch(number), 1e-12), "faults": None if page_faults() is None else now.faults}
            )
        except (BrokenPipeError, ConnectionError):
            raise
        except BaseException as error:
            self.fail(error, sometimes=not isinstance(error, SystemExit) and now.succeeds())


def load(request: dict[str, Any]) -> Loaded:
    """Return what a request names, loaded."""
    if request.get("whole"):
        return Pytest(request["file"], whole=True)
    return KINDS[request["kind"]](request["file"])


def local_modules(folder: str) -> dict[str, str]:
    """Modules that were imported from a folder: path -> digest. What is measured depends on them too."""
    found: dict[str, str] = {}
    for module in list(sys.modules.values()):
        path = getattr(module, "__file__", None)
        if isinstance(path, str) and path.startswith(folder + os.sep) and not path.startswith(sys.prefix + os.sep):
            with suppress(OSError), open(path, "rb") as file:
                found[os.path.relpath(path, folder)] = hashlib.sha256(file.read()).hexdigest()
    return found


def main() -> None:
    """Load, and serve."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    channel = Channel()
    request: Any = channel.read()  # the first line, which names what to load
    fill()
    try:
        loaded = load(request)
        items = loaded.items()
        parallel, threads = ({}, {}) if not isinstance(loaded, File) else map(loaded.at_once, (PARALLEL, THREADS))
    except BaseException as error:
        path = os.path.abspath(request["file"])
        channel.say(
            {"failed": describe_error(error, path), "kind": "mistake" if isinstance(error, Mistake) else "load"}
        )
        os._exit(0)
    row: dict[str, Any] = {"loaded": max(loaded.seconds, 1e-6), "items": items, "notes": loaded.notes()}
    if isinstance(loaded, File):
        row.update(unused=loaded.unused(), same=list(loaded.same), exchange=list(loaded.exchange), parallel=parallel)
    if isinstance(loaded, Asv):
        row["figures"] = loaded.figures()
    row["modules"] = local_modules(os.path.dirname(loaded.path))
    row["learnt"] = learnt()
    channel.say(row)
    if "threads" in request:
        threads = dict.fromkeys((name for name, _ in items), request["threads"])
    with suppress(BrokenPipeError, ConnectionError):
        Session(channel, loaded, threads).serve()
    sys.stdout = sys.stderr = None
    os._exit(0)
