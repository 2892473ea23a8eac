"""Time as a device keeps it: events in its queue, which note when the device reaches them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from kernels.errors import NotAvailable

#: Cycles that the device is kept busy for while calls are queued behind: about 5 ms, and what is given up at, 1 s.
FIRST_SPIN, LAST_SPIN = 10**7, 2 * 10**9


@dataclass(frozen=True)
class Events:
    """What a library offers of a device's clock.

    ``spin(cycles)`` queues a kernel that keeps the device busy; ``record()`` queues an event and returns it;
    ``reached(event)`` says without waiting whether the device has got there, ``wait(event)`` waits for it, and
    ``seconds(first, last)`` is the device's time between two.
    """

    spin: Callable[[int], Any]
    record: Callable[[], Any]
    reached: Callable[[Any], bool]
    wait: Callable[[Any], Any]
    seconds: Callable[[Any, Any], float]


def seconds_on_device(events: Events, call: Callable[[], Any], samples: int) -> list[float]:
    """Device seconds of one call, ``samples`` times, without what the host takes to queue it.

    The device is kept busy until all of the call is queued; what it then does between the two events is the call's
    work and nothing else. Where it got to the first event before the last was queued it has waited for the host, and
    the sample is taken again behind a longer spin.

    Raises
    ------
    NotAvailable
        A call cannot be queued as a whole: it waits for the device itself, or has more launches than the queue holds.
    """
    cycles, found = FIRST_SPIN, []
    while len(found) < samples:
        events.spin(cycles)
        first = events.record()
        call()
        last = events.record()
        waited = events.reached(first)
        events.wait(last)
        if not waited:
            found.append(events.seconds(first, last))
        elif (cycles := 4 * cycles) > LAST_SPIN:
            raise NotAvailable("a call cannot be queued as a whole, so its device time would hold the host's too")
    return found
