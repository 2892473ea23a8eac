"""Many calls queued and waited for once: what asynchronous dispatch buys."""

from __future__ import annotations

from collections import deque
from time import perf_counter

from kernels.backends.hardware import cores


class Pipeline:
    """Calls without waiting; ``timer`` waits, then reads the clock.

    asv_runner reads the timer before the first and after the last call of a sample and divides by their number, so
    the wait is inside the sample once.
    """

    def __init__(self) -> None:
        self.prepared = None
        # Results are kept until they are waited for. Devices start calls in order, so when the last ones of twice
        # as many as can run at once are complete, all are.
        self.pending = deque(maxlen=2 * cores())

    def take(self, prepared) -> None:
        """Queue calls of this kernel from now on."""
        self.prepared = prepared
        self.function = prepared.function
        self.arguments = prepared.arguments
        self.wait = prepared.adapter.wait
        self.begin = prepared.adapter.begin

    def call(self) -> None:
        """Queue one call. Where calls are synchronous there is nothing to keep."""
        result = self.function(*self.arguments)
        if self.begin is not None:
            self.begin(result)
        if self.wait is not None:
            self.pending.append(result)

    def timer(self) -> float:
        """Return the clock, when everything queued is complete."""
        if self.pending:
            self.wait(list(self.pending))
            self.pending.clear()
        return perf_counter()
