"""Processes that take turns: the timing loop of blocks, and the server that forks a process for each combination.

``python -m benchmarks.turns FD`` serves on a socket that it inherits. A request, one line of JSON with the benchmark's
name and its parameters, comes with a socket of its own for the process that is forked for it. That process waits for
a line if it is asked to (``"held": true``), prepares its call as the asv benchmark does, and answers there, a line of
JSON each:

- ``{"figures": {measure: value}}`` where it is asked for some: what is one figure a process, such as its first call;
- ``{"ready": seconds}``, a first estimate of one call, when it is compiled and warm, and again for a line ``retain``,
  when it has freed memory retained from then on (`benchmarks.allocator`);
- ``{"seconds": seconds, "faults": number}`` of a call, the means of a batch, for each line with a number of calls that
  it reads: how long it took, and how many pages of memory it had the system provide;
- ``{"checked": true}`` for a line ``check``, when its result was found right, after what it is asked for
  ``afterwards``, as figures;
- ``{"failed": why}`` where it cannot; ``"sometimes": true`` where other calls of the process succeed.

This loop is the one thing that arrayspeed times itself. Everything else it leaves to asv.
"""

from __future__ import annotations

import os
import resource
import socket
import sys
from collections import deque
from collections.abc import Callable, Iterator
from importlib import import_module
from itertools import repeat
from statistics import median
from time import perf_counter

from benchmarks.allocator import retain
from benchmarks.forking import sender, serve, silence
from benchmarks.preload import end_with_parent

#: Seconds of calls before a process is ready: caches are warm, and one call's time is roughly known.
WARM_UP = 0.05

#: A shorter call is made once, untimed, before each batch: the other sides' data are in the caches.
SHORT = 0.01

#: Calls that tell whether a failure comes and goes, and the seconds that they may take.
TRIALS, TRYING_AGAIN = 100, 1.0

#: Lines that are no numbers of calls: have the allocator retain freed memory; look whether the result is right.
RETAIN, CHECK = "retain", "check"

#: The answer where the allocator has no other state that is known.
NO_GLIBC = {"failed": "the C library's allocator is not glibc's", "kind": "not available"}


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
        """Return what is one figure a process, in the order asked for; of one that failed, why, as `failure` says it.

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
        """Return what the benchmark times, compiled, and its clock if that is not the usual one; None where it times
        nothing.

        Raises
        ------
        WrongResult
            The result has another dtype, device or layout than it should.
        """
        if self.measure not in self.instance.calls():
            return None
        method = getattr(self.instance, self.measure)
        method.setup(*self.parameters)
        return self.instance.calls()[self.measure], getattr(method, "timer", None)


def failure(error: Exception) -> dict[str, object]:
    """Return why something failed, in a line that begins with the exception's name."""
    return {"failed": f"{type(error).__name__}: {error}".splitlines()[0][:500]}


def handicapped(
    call: Callable[[], object], busy: float, failing: int
) -> tuple[Callable[[], object], Callable[[Callable[[int], float]], bool] | None]:
    """Return the call, followed by work that makes it longer by a share of its time, and failing once in so many calls
    (0: never); and what finds out how much work that is (None: there is none).

    The latter is to be called before each of the first batches, with what times batches of the new call, until it says
    that it is done. What compares a copy with itself uses this to learn how small a slowdown is found. The work is
    counted: a wait by the clock is no shorter than a look at it, and less than it should be where a call is. Until its
    amount is known, and on a side without a handicap, which gets ``0, 0``, everything is done but the work.
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

    steps: Iterator[int | None] | None = None

    def settle(time_batch: Callable[[int], float]) -> bool:
        nonlocal units, steps
        known, before = 0, steps

        def seconds(number: int, amount: int) -> float:
            nonlocal units
            units = amount
            return time_batch(number)

        steps = None
        try:
            steps, known = next_amount(before or amounts_of_work(seconds, busy))
        finally:
            units = known
        return steps is None

    return slower, settle if busy else None


#: Units of work whose time is taken, and seconds of calls beside them.
UNITS, BESIDE = 100_000, 0.001

#: Trials of one step, at most and at least, and seconds after which there are no more than the latter.
MOST_TRIALS, FEWEST_TRIALS, TRYING = 10, 3, 0.1

#: Trials with an amount of work that are enough to correct it, and the most that becomes of the first amount.
CORRECTED_AFTER, MOST_LEFT = (10, 30), 1.25

#: Seconds of a call from which on it does not matter where its threads are.
LONG_CALL = 0.002


def next_amount(steps: Iterator[int | None]) -> tuple[Iterator[int | None] | None, int]:
    """Return what is left of `amounts_of_work`, None where that is nothing, and the amount after one more step."""
    amount = next(steps)
    return steps if amount is None else None, amount or 0


def amounts_of_work(seconds: Callable[[int, int], float], share: float) -> Iterator[int | None]:
    """Yield how many units of work after each call make calls longer by a share of their time; None after a step that
    does not know it yet.

    ``seconds`` of a call are the mean of so many, each with so many units. Each step has to be taken where the process
    runs alone, and calls are timed as they will be. While others prepare, a call of BLAS that waits for its threads
    takes milliseconds instead of microseconds, and one that is longer than the system's time slices is interrupted. The
    work is not, so that far too much of it would seem to be a share.

    A step of short calls is short, and each begins a batch: threads are where they will be when batches are timed, and
    are elsewhere some time later, which makes calls of JAX several times as long.

    Calls and work are timed in turn, since the machine's speed changes. Work after a short call also makes the next one
    longer (JAX), perhaps since a thread that would still have been waiting for it has fallen asleep. So the amount is
    tried, and what counts is how much longer calls are.
    """
    number = 1
    while (each := seconds(number, 0)) * number < BESIDE:
        number *= 2
    beside = sorted(seconds(number, 0) / seconds_of_work(UNITS) for _ in range(number_of_trials(number * each)))
    # The lower quartile: whatever disturbs a call, it takes longer for it.
    first = units = share * UNITS * beside[len(beside) // 4]
    for enough in CORRECTED_AFTER if each < SHORT else ():
        longer: list[float] = []
        while len(longer) < enough:
            if each < LONG_CALL:
                yield None
            pairs = range(number_of_trials(2 * number * each))
            longer += [seconds(number, round(units)) / seconds(number, 0) - 1 for _ in pairs]
        units = min(units * share / max(median(longer), share / 4), MOST_LEFT * first)
    yield round(units)


def number_of_trials(each: float) -> int:
    """Return how many trials, which take so many seconds each, are in a step."""
    return max(FEWEST_TRIALS, min(MOST_TRIALS, int(TRYING / each)))


def seconds_of_work(units: int) -> float:
    """Seconds of so many units of work."""
    started = perf_counter()
    deque(repeat(None, units), 0)
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
    settle, settled = None, False
    if handicap := request.get("handicap"):
        call, settle = handicapped(call, *handicap)
    time_batch = batch_timer(call, clock, prepared.frames)
    try:
        each = warm_up(time_batch)
    except Exception as error:
        return say(failure(error) | {"sometimes": succeeds(call)})
    say({"ready": each})
    for line in numbers:
        try:
            if (word := line.strip()) == CHECK:
                say({"figures": prepared.figures(request.get("afterwards") or [])})
                prepared.instance.verify()
                say({"checked": True})
                continue
            if word == RETAIN:
                settled = False  # calls take another time
                say({"ready": warm_up(time_batch)} if retain() else NO_GLIBC)
                continue
            number = int(word)
            if each < SHORT:
                call()
            if settle and not settled:  # not before: now all others are stopped, and the first turns do not count
                settled = settle(time_batch)
            before = page_faults()
            each = time_batch(number)
            say({"seconds": each, "faults": (page_faults() - before) / number})
        except Exception as error:
            say(failure(error) | {"sometimes": succeeds(call)})
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


def succeeds(call: Callable[[], object]) -> bool:
    """Return whether any of `TRIALS` further calls succeeds, in `TRYING_AGAIN` seconds."""
    until = perf_counter() + TRYING_AGAIN
    for _ in range(TRIALS):
        try:
            call()
            return True
        except Exception:  # whatever it raises is a failure of the call
            if perf_counter() > until:
                break
    return False


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
