"""Small programs that take turns with copies of themselves. ``python FILE PROGRAM``: see `arrayspeed.audit.doctor`.

It runs in the tool's own Python, which has NumPy, and speaks as `arrayspeed.measure.players` has it: a line
``{"ready": seconds}`` and, for each line with a number of calls, ``{"seconds": seconds, "faults": number}`` of a call.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from itertools import repeat
from time import perf_counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

#: Seconds of calls before it is ready.
WARM_UP = 0.05


def loop() -> Callable[[], object]:
    """Return a loop of Python's own: 1,000 additions."""
    return lambda: sum(range(1000))


def addition() -> Callable[[], object]:
    """Return an addition of 1,000 numbers, most of which is the call itself."""
    import numpy as np

    a = np.random.default_rng(0).random(1000)
    return lambda: a + a


def product() -> Callable[[], object]:
    """Return a product of two matrices, by as many threads as BLAS starts."""
    import numpy as np

    a = np.random.default_rng(0).random((256, 256))
    return lambda: a @ a


PROGRAMS = {"loop": loop, "addition": addition, "product": product}


def timed(call: Callable[[], object], number: int) -> tuple[float, float]:
    """Return the seconds of a call and its page faults, the means of so many."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    started = perf_counter()
    for _ in repeat(None, number):
        call()
    took = perf_counter() - started
    return took / number, (resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before) / number


def main(name: str) -> None:
    """Warm up, and time batches until the other end closes."""
    call, spent, number = PROGRAMS[name](), 0.0, 1
    while spent < WARM_UP:
        each, _ = timed(call, number)
        spent += each * number
        number *= 2
    say({"ready": each})
    for line in sys.stdin:
        each, faults = timed(call, int(line))
        say({"seconds": each, "faults": faults})


def say(row: dict[str, float]) -> None:
    """Print a line."""
    print(json.dumps(row), flush=True)


if __name__ == "__main__":
    try:
        main(sys.argv[1])
    except BrokenPipeError:
        os._exit(0)
