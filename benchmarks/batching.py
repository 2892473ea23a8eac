"""How many calls one sample holds: chosen from several calls, so that no slow one and no slow spell decides it.

asv_runner stops looking at the first trial that is long enough. Where a collection of garbage or another program falls
into it, a call of 85 µs is timed alone from then on, and reads as much as the clock and a cold cache cost.

Whatever else runs on the machine only adds time. The fastest trial is therefore the one to go by, and the samples are
trials too: where the fastest of them shows that they hold too few calls, the choice is made again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

#: Seconds: no call that is shorter may be timed alone.
SHORT = 1e-3

#: Trials before a number is believed; a call of seconds is made no more than twice for it.
TRIALS, TRIALS_OF_LONG = 3, 2
LONG = 2.0

#: The most by which a number grows from one trial to the next: the first trials may be far too fast or too slow.
GROWTH = 10

#: Samples may be so many times shorter than they should be: while the number was chosen, the machine may have been
#: slower than it is for the samples.
SHORTER = 4


@dataclass(frozen=True)
class Batch:
    """What was chosen: ``number`` of calls in a sample; ``last``, seconds of the last trial of so many; and all
    ``calls`` that were made for it, in ``spent`` seconds.
    """

    number: int
    last: float
    calls: int
    spent: float


def choose(timeit: Callable[[int], float], sample: float, warm_up: float, number: int = 1) -> Batch:
    """Return the number of calls that take ``sample`` seconds at their fastest.

    Parameters
    ----------
    timeit
        ``timeit(number)``: makes so many calls, and returns the seconds that they took.
    sample, warm_up
        Seconds of a sample, and those that the trials must last in all, so that they warm the machine up too.
    number
        Calls of the first trial.
    """
    fastest, trials, calls, spent = float("inf"), 0, 0, 0.0
    while True:
        began = perf_counter()
        last = timeit(number)
        # A timer that is not a clock of the wall (CPU time, say) must not make the trials endless.
        took = max(last, perf_counter() - began)
        fastest = min(fastest, took / number)
        trials, calls, spent = trials + 1, calls + number, spent + took
        enough = trials >= (TRIALS_OF_LONG if spent > LONG else TRIALS)
        if number * fastest < sample:
            needed = sample / fastest if fastest else GROWTH * number
            number = max(number + 1, int(min(GROWTH * number, needed) + 0.5))
        elif enough and spent > warm_up:
            return Batch(number, last, calls, spent)


def too_few(samples: list[float], sample: float) -> bool:
    """Return whether samples, in seconds each, are far shorter than ``sample``: what their number was chosen from was
    slow.
    """
    return bool(samples) and SHORTER * min(samples) < sample


def complaint(value: float | None, number: int | None) -> str | None:
    """Return why a time must not be stored; None where nothing is wrong with its batches.

    Parameters
    ----------
    value
        Seconds a call.
    number
        Calls in a sample.
    """
    if value is None or number != 1 or not value < SHORT:
        return None
    return f"a call of {value * 1e6:.3g} µs was timed alone, not in batches: its time is mostly the clock's own"
