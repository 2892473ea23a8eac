"""One function: its first call, its memory, its values, and batches of calls."""

from __future__ import annotations

import gc
import mmap
import os
from collections.abc import Awaitable
from inspect import CO_COROUTINE
from time import monotonic, perf_counter, sleep

from . import finishing, keeping, memory, objects, values
from .allocator import learnt, retain
from .inside import children, page_faults
from .loading import Mistake
from .stack import as_in_a_script
from .waiting import waiter

TYPE_CHECKING = False  # type checkers take it as true
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from .again import Again
    from .values import Shot
    from .waiting import Wait

#: Seconds of calls before a function is ready: caches are warm, and one call's time is roughly known.
WARM_UP = 0.05

#: Then calls go on until two batches of about so many seconds agree, or for so many seconds: a call is as long as the
#: one before within a tenth, and takes as many page faults.
WINDOW, SETTLING, STEADY = 0.02, 1.0, 0.1

#: A shorter call is made once, untimed, before each batch: the other sides' data are in the caches.
SHORT = 0.01

#: Calls whose largest peak counts, and seconds of a call for which there is more than one: libraries keep what they
#: freed, and give it back when they please.
PEAKS, SHORT_ENOUGH = 3, 0.3

#: Seconds that a batch may take with its setups in between, and the first calls of `WARM_UP` with theirs; fewer calls
#: are made then.
RENEWING = 0.02

#: Calls that tell whether a failure comes and goes, and the seconds that they may take.
TRIALS, TRYING = 100, 1.0


class Forked(Exception):
    """The function forks, and the child returns from it too."""


class Measured:
    """A function with its arguments, in the process that calls it.

    ``again``: what sets it up again before each batch, or every so many calls; None where nothing has to be.
    ``threads``: how many call it at once.
    """

    def __init__(
        self, function: Callable[..., Any], arguments: Sequence[Any], again: Again | None = None, threads: int = 1
    ) -> None:
        self.threads = threads
        self.function = function
        self.arguments = arguments
        self.again = again
        self.every = again.every if again else 0
        #: What waits for a result; what brings one to its end that is a promise; whether calls are awaited, and what
        #: they come to is a promise again.
        self.wait: Wait | None = None
        self.finish: Callable[[Any, bool], Any] | None = None
        self.awaits = self.nested = False
        self.each = 0.0
        self.faults = 0.0
        self.main = os.getpid()
        self.returned = mmap.mmap(-1, 1)  # shared with children

    def call(self) -> Any:
        """One call, finished."""
        self.renew()
        return self.complete(self.function(*self.arguments))

    def renew(self) -> None:
        """Set it up again, where its calls need that."""
        if self.every:
            self.set_up()

    def set_up(self) -> None:
        """Set it up again."""
        assert self.again is not None
        self.arguments = self.again(self.arguments)

    def finished(self) -> Any:
        """Return a call's result, when it is complete."""
        return self.complete(self.function(*self.arguments), keep=True)

    def complete(self, result: Any, keep: bool = False) -> Any:
        """Return a result when it is complete; of a promise what it comes to, if that is kept."""
        if self.finish is not None:
            result = self.finish(result, keep)
        if self.wait is not None:
            self.wait(result)
        return result

    def first_call(self) -> tuple[Any, float, list[str]]:
        """Make the first call, and find out what its results need to be complete: the result, the seconds of the call,
        and the libraries of which nothing is known.
        """
        started = perf_counter()
        result = self.function(*self.arguments)
        seconds = perf_counter() - started
        self.only_here()
        self.awaits = isinstance(result, Awaitable)
        self.finish = finishing.finisher(result)
        if self.awaits:
            finishing.loop()
        started = perf_counter()
        if self.finish is not None:
            result = self.finish(result, True)
            self.nested = isinstance(result, finishing.Finished) and isinstance(result.value, finishing.Finished)
        seconds += perf_counter() - started
        started = perf_counter()
        self.wait, unknown = waiter(result)
        if self.wait is not None:
            self.wait(result)
            # What computes went on while it was looked for. Where nothing does, looking is ours alone.
            seconds += perf_counter() - started
        return result, seconds, unknown

    def prepare(self, wanted: dict[str, Any]) -> dict[str, Any]:
        """Call it until it is warm; what was found on the way.

        Parameters
        ----------
        wanted
            ``touch``: one call and nothing else. ``memory``: the most that a call takes. ``kept``: what calls keep.
            ``values``: a path without its end, to which the values of two calls are written.
        """
        found: dict[str, Any] = {"notes": []}
        before = self.arguments_digest() if wanted.get("values") else None
        made = self.again.state(self.arguments) if self.again and not self.every else None
        gc.collect()
        result, found["first"], unknown = self.first_call()
        self.no_child_returned()
        if wanted.get("touch"):
            return found
        if self.again and made is not None and made != self.again.state(self.arguments):
            self.every = 1
        if self.threads > 1 and (self.every or self.awaits):
            why = "gets new arguments before every call" if self.every else "is awaited"
            raise Mistake(f"{self.threads} threads cannot call at once what {why}: parallel = N takes processes")
        if self.threads > 1:
            found["notes"].append(["threads", str(self.threads)])
        if self.again and self.every and self.again.note:
            found["notes"].append([self.again.note, None])
        if unknown:
            found["notes"].append(["assumed", ", ".join(unknown)])
        if result is None and not (self.again and self.again.batches):
            found["notes"].append(["nothing", None])
        if self.finish is not None and not runs_in_a_loop(self.function):
            found["notes"].append(["lazy", None])
        shots = []
        if wanted.get("values") and result is not None:
            shots.append(self.shot(result, found, wanted["values"]))
            if wanted.get("whole"):
                found.update(whole(wanted["values"] + ".whole", result))
        del result
        last: list[Any] = []

        def once_more() -> None:
            started = perf_counter()
            last[:] = [self.complete(self.function(*self.arguments))]
            self.each = perf_counter() - started

        peaks: list[int | None] = []
        most = PEAKS if wanted.get("memory") else 1
        gc.collect()
        gc.freeze()  # so that the collections before each peak look at nothing but what the calls made
        try:
            while not peaks or (peaks[-1] is not None and len(peaks) < most and self.each < SHORT_ENOUGH):
                last.clear()
                self.renew()
                peaks.append(memory.peak_of(once_more))
        finally:
            gc.unfreeze()
        known = [peak for peak in peaks if peak is not None]
        found["memory"] = max(known) if wanted.get("memory") and len(known) == len(peaks) else None
        if shots and shots[0] is not None:
            if self.finish is not None:  # what a promise came to was not kept
                self.renew()
                last[:] = [self.finished()]
            shots.append(self.shot(last[0], found, wanted["values"]))
        last.clear()
        if wanted.get("values"):
            found.update(self.compared(shots, before, wanted["values"], found))
        if wanted.get("kept"):
            kept = keeping.kept_by(self.call, self.each)
            found.update(kept=kept.counted, resident=kept.grown, within=kept.within)
        # Calls of this length filled the windows of `keeping`, which together last longer than a warm-up.
        warm = bool(wanted.get("kept")) and keeping.WINDOW / keeping.MOST_CALLS < self.each < keeping.LONGEST
        if not self.warm_up(warm):
            found["notes"].append(["unsteady", None])
        found["learnt"] = learnt()
        return found

    def retained(self) -> bool:
        """From now on the process retains what its calls free; warm again. False where the C library cannot."""
        if not retain():
            return False
        self.warm_up()
        return True

    def shot(self, result: object, data: dict[str, Any], path: str) -> Shot | None:
        """Return a copy of a result; None where it cannot be compared, which is noted.

        Objects that their class alone compares are written to a file, and those of a second call compared with them.
        """
        held: list[tuple[str, Any]] = []
        data["container"] = values.kind_of(result) or values.ONE
        try:
            found = values.snapshot(result, held)
            if held and "objects" not in data:
                objects.write(path + ".objects", held)
                data["objects"] = path + ".objects"
                data["notes"].append(["equal", ", ".join(sorted({type(each).__name__ for _, each in held}))])
            elif held and not objects.all_equal(objects.read(path + ".objects"), held)[0]:
                data["varies"] = True
        except (values.Unknown, objects.Unreadable) as error:
            data["notes"].append(["unknown", str(error)])
            return None
        return found

    def arguments_digest(self) -> str | None:
        """Return a digest of the arguments; None where they cannot be read."""
        try:
            return values.fingerprint(self.arguments)
        except values.Unknown:
            return None

    def compared(self, shots: list[Shot | None], before: str | None, path: str, data: dict[str, Any]) -> dict[str, Any]:
        """Return what is known of values and inputs: digests, a summary, and files."""
        changed = not self.every and before != self.arguments_digest()
        if changed:
            data["notes"].append(["in place", None])
        known: dict[str, Any] = {"inputs": before}
        taken = [shot for shot in shots if shot is not None]
        if len(taken) == 2:
            first, second = map(values.digest, taken)
            known["summary"] = values.summary(taken[0])
            known["digest"] = first
            values.write(path + ".1", taken[0])
            known["files"] = [path + ".1"]
            # Inputs that a call changed give another result, which says nothing about chance.
            if changed:
                data.pop("varies", None)
            elif first != second:
                values.write(path + ".2", taken[1])
                known["files"].append(path + ".2")
        return known

    def warm_up(self, warm: bool = False) -> bool:
        """Call until caches are warm and calls are steady; whether they are. ``warm``: caches are.

        How long a call takes may change for many calls: an allocator learns which blocks to keep, a heap grows, a
        compiler at run time sees that code is hot.
        """
        if self.each > SETTLING:
            return True
        if warm:
            self.each = self.time(max(1, round(WINDOW / self.each)))
        spent, number = WARM_UP if warm else 0.0, 1
        until = monotonic() + (RENEWING if self.every else SETTLING)
        while spent < WARM_UP and monotonic() < until:
            self.each = self.time(number)
            spent += self.each * number
            number *= 2
        until = monotonic() + SETTLING
        while True:
            before = self.each, self.faults
            self.each = self.time(max(1, round(WINDOW / self.each)))
            if self.each > before[0] * (1 - STEADY) and abs(self.faults - before[1]) <= max(1.0, STEADY * before[1]):
                return True
            if monotonic() > until:
                return False

    def batch(self, number: int) -> float:
        """Seconds of a call, the mean of so many."""
        if self.again and self.again.batches and not self.every:
            self.set_up()
        if self.each < SHORT:
            self.call()
        self.each = self.time(number)
        return self.each

    def time(self, number: int) -> float:
        """Seconds of a call, the mean of so many; where each needs a setup, of as many as there is time for."""
        if not self.every:
            return at_once(lambda: as_in_a_script(lambda: self.loop(number)), self.threads)
        until, spent, made = monotonic() + RENEWING, 0.0, 0
        while made < number and (not made or monotonic() < until):
            self.set_up()
            spent += as_in_a_script(lambda: self.loop(self.every)) * self.every
            made += self.every
        return spent / made

    def loop(self, number: int) -> float:
        """Return the timing loop. Garbage is collected as in any script: what a function leaves to collect
        is its cost.
        """
        function, arguments = self.function, self.arguments
        wait = self.wait if self.finish is None else self.complete
        times = range(number)
        before = page_faults() or 0
        if self.awaits:
            wait = self.complete if self.nested else self.wait
            seconds = finishing.seconds_of(function, arguments, number, wait)
        elif wait is None:
            started = perf_counter()
            for _ in times:
                function(*arguments)
            seconds = perf_counter() - started
        else:
            started = perf_counter()
            for _ in times:
                wait(function(*arguments))
            seconds = perf_counter() - started
        self.faults = ((page_faults() or 0) - before) / number
        return seconds / number

    def succeeds(self) -> bool:
        """Return whether any of some further calls succeeds."""
        until = monotonic() + TRYING
        for _ in range(TRIALS):
            try:
                self.call()
                return True
            except Exception:  # whatever it raises is a failure of the call
                if monotonic() > until:
                    return False
            except BaseException:  # it wants to end the process
                return False
        return False

    def only_here(self) -> None:
        """End where this is a child that the function forked and that returned from the call as well."""
        if os.getpid() != self.main:
            self.returned[0] = 1
            os._exit(0)

    def no_child_returned(self) -> None:
        """Wait a moment for a child that may return too.

        Raises
        ------
        Forked
            One did.
        """
        until = monotonic() + 0.2
        while not self.returned[0] and children() and monotonic() < until:
            sleep(0.005)
        if self.returned[0]:
            raise Forked("it forks, and the child returns from the function: it must end with os._exit")


def at_once(function: Callable[[], float], number: int) -> float:
    """Call a function in so many threads at once; the most that one returns.

    What one raises is raised here.
    """
    if number == 1:
        return function()
    import threading  # not before: a file that imports it too would seem to load faster

    found: list[float] = []
    errors: list[BaseException] = []
    barrier = threading.Barrier(number)

    def run() -> None:
        barrier.wait()
        try:
            found.append(function())
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run) for _ in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return max(found)


def runs_in_a_loop(function: Callable[..., Any]) -> bool:
    """Return whether a function is ``async def``, and says so."""
    return bool(getattr(getattr(function, "__code__", None), "co_flags", 0) & CO_COROUTINE)


def whole(path: str, result: object) -> dict[str, Any]:
    """Pickle a result for the other side: where it is, or why that is impossible."""
    if isinstance(result, finishing.Finished):
        result = result.value
    try:
        objects.write(path, result)
    except objects.Unreadable as error:
        return {"unpicklable": str(error)}
    return {"whole": path}
