"""Processes that take turns: the timing loop of blocks, and the server that forks a process for each combination.

``python -m benchmarks.turns FD`` serves on a socket that it inherits. A request, one line of JSON with the benchmark's
name and its parameters, comes with a socket of its own for the process that is forked for it. That process waits for
a line if it is asked to (``"held": true``), prepares its call as the asv benchmark does, and answers there, a line of
JSON each:

- ``{"figures": {measure: value}}`` where it is asked for some: what is one figure a process, such as its first call;
- ``{"ready": seconds}``, a first estimate of one call, when it is compiled, verified and warm;
- ``{"seconds": seconds, "faults": number}`` of a call, the means of a batch, for each line with a number of calls that
  it reads: how long it took, and how many pages of memory it had the system provide;
- ``{"failed": why}`` where it cannot; ``"sometimes": true`` where other calls of the process succeed.

This loop is the one thing that arrayspeed times itself. Everything else it leaves to asv.
"""

from __future__ import annotations

import os
import resource
import socket
import sys
from collections import deque
from collections.abc import Callable
from importlib import import_module
from itertools import repeat
from statistics import median
from time import perf_counter

from benchmarks.forking import sender, serve, silence
from benchmarks.preload import end_with_parent

#: Seconds of calls before a process is ready: caches are warm, and one call's time is roughly known.
WARM_UP = 0.05

#: A shorter call is made once, untimed, before each batch: the other sides' data are in the caches.
SHORT = 0.01

#: Calls that tell whether a failure comes and goes.
TRIALS = 100


class Prepared:
    """A benchmark of asv in this process.

    Parameters
    ----------
    benchmark
        asv's name: ``linalg.matmul_float64.time_call``.
    parameters
        Backend, size and device.

    Raises
    ------
    NotAvailable, NotImplementedError
        As `kernels.prepare`.
    """

    def __init__(self, benchmark: str, parameters: list) -> None:
        module, name, measure = benchmark.split(".")
        self.instance = getattr(import_module(f"benchmarks.{module}"), name)()
        self.parameters = parameters
        self.measure = measure
        self.instance.setup(*parameters)

    def figures(self, measures: list[str]) -> dict[str, object]:
        """What is one figure a process, in the order asked for; of one that failed, why, as `failure` says it.

        The first call must come first, and memory before the many calls after which a library keeps what it took.
        """
        found: dict[str, object] = {}
        for measure in measures:
            try:
                found[measure] = getattr(self.instance, measure)(*self.parameters)
            except Exception as error:
                found[measure] = failure(error)
        return found

    @property
    def frames(self) -> int:
        """Short frames below which its call is timed: `benchmarks.stack`."""
        from benchmarks.stack import FRAMES

        return getattr(self.instance, "frames", FRAMES)

    def ready_call(self) -> tuple[Callable[[], object], Callable[[], float] | None] | None:
        """What the benchmark times, verified, and its clock if that is not the usual one; None where it times nothing.

        Raises
        ------
        WrongResult
            As `kernels.prepare`.
        """
        if self.measure not in self.instance.calls():
            return None
        method = getattr(self.instance, self.measure)
        method.setup(*self.parameters)
        return self.instance.calls()[self.measure], getattr(method, "timer", None)


def failure(error: Exception) -> dict[str, object]:
    """Why something failed, in a line that begins with the exception's name."""
    return {"failed": f"{type(error).__name__}: {error}".splitlines()[0][:500]}


def handicapped(call: Callable[[], object], busy: float, failing: int) -> Callable[[], object]:
    """The call, followed by work that takes a share of its time, and failing once in so many calls (0: never).

    What compares a copy with itself uses it to learn how small a slowdown is found. The work is counted: a wait by the
    clock is no shorter than a look at it, and less than it should be where a call is. A side without a handicap gets
    ``0, 0``, and does everything but the work.
    """
    count = units = 0

    def slower():
        nonlocal count
        count += 1
        if failing and count % failing == 0:
            raise RuntimeError(f"one call in {failing} fails")
        result = call()
        deque(repeat(None, units), 0)
        return result

    if busy:
        units = units_of_work(slower, busy)
    return slower


#: Units of work, and trials of them and of calls, from which it follows how many make a share of a call.
UNITS, WORK_TRIALS = 100_000, 15


def units_of_work(call: Callable[[], object], share: float) -> int:
    """How many units of work take a share of a call's time. Both are timed in turn: the machine's speed changes."""
    number = 1
    while seconds_of(call, number) < UNITS * 4e-9:
        number *= 2
    ratios = []
    for _ in range(WORK_TRIALS):
        each = seconds_of(call, number) / number
        started = perf_counter()
        deque(repeat(None, UNITS), 0)
        ratios.append(each * UNITS / (perf_counter() - started))
    return round(share * median(ratios))


def seconds_of(call: Callable[[], object], number: int) -> float:
    """Seconds of so many calls."""
    started = perf_counter()
    for _ in repeat(None, number):
        call()
    return perf_counter() - started


def measure(request: dict, say: Callable[[dict], None], numbers) -> None:
    """Prepare what a request names, then time a batch for each number of calls that comes."""
    try:
        prepared = Prepared(request["benchmark"], request["parameters"])
        if measures := request.get("figures"):
            say({"figures": prepared.figures(measures)})
        ready = prepared.ready_call()
    except Exception as error:
        return say(failure(error))
    if ready is None:
        return None
    call, clock = ready
    if handicap := request.get("handicap"):
        call = handicapped(call, *handicap)
    time_batch = batch_timer(call, clock, prepared.frames)
    try:
        each = warm_up(time_batch)
    except Exception as error:
        return say(failure(error) | {"sometimes": succeeding(call) > 0})
    say({"ready": each})
    for number in numbers:
        try:
            if each < SHORT:
                call()
            before = page_faults()
            each = time_batch(int(number))
            say({"seconds": each, "faults": (page_faults() - before) / int(number)})
        except Exception as error:
            say(failure(error) | {"sometimes": succeeding(call) > 0})
    return None


def page_faults() -> int:
    """Pages of memory that the system has given this process so far, without reading them from a disk."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt


def batch_timer(call: Callable[[], object], clock: Callable[[], float] | None, frames: int) -> Callable[[int], float]:
    """Seconds of a call, the mean of so many: `timeit`'s loop, in a place of its own on Python's stack."""
    from benchmarks.stack import Timer

    timer = Timer(call, timer=clock or perf_counter, frames=frames)
    return lambda number: timer.timeit(number) / number


def warm_up(time_batch: Callable[[int], float]) -> float:
    """Call until caches are warm; seconds of a call, from the last and longest batch."""
    spent, number = 0.0, 1
    while True:
        each = time_batch(number)
        spent += each * number
        if spent >= WARM_UP:
            return each
        number *= 2


def succeeding(call: Callable[[], object]) -> int:
    """How many of `TRIALS` further calls succeed."""
    good = 0
    for _ in range(TRIALS):
        try:
            call()
            good += 1
        except Exception:  # whatever it raises is a failure of the call
            continue
    return good


def play(request: dict, channel: socket.socket) -> None:
    """One process: measure what a request names, until the other end closes."""
    if folder := request.get("references"):
        os.environ["ARRAYSPEED_REFERENCES"] = folder
    silence()
    lines = channel.makefile("r", encoding="utf-8")
    say = sender(channel)
    try:
        if request.get("held"):
            lines.readline()
        measure(request, say, lines)
    except (BrokenPipeError, ConnectionError):
        return


if __name__ == "__main__":
    end_with_parent()
    serve(socket.socket(fileno=int(sys.argv[1])), play)
