"""What a process does while it runs, read from outside: the cores that it keeps busy, and how often it waits."""

from __future__ import annotations

from dataclasses import dataclass

from arrayspeed.system.processes import Read, read


@dataclass(frozen=True)
class Reading:
    """What a process did in the time that it was allowed to run.

    ``cores``: its CPU time, of all threads, over that time. ``switches``: in a second, how often its main thread gave
    up its core to wait for something, such as the answer of another thread.
    """

    cores: float
    switches: float


class Meter:
    """Reads a process between `begin` and `end`, as often as it is allowed to run; `take` gives the sum.

    Nothing is asked of the process itself. What it does before it reads what it is told, and after it has answered,
    counts with the rest: some 0.1 ms each time.
    """

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.clear()

    def clear(self) -> None:
        """Forget what was read."""
        self.begun: Read | None = None
        self.seconds = self.cpu = 0.0
        self.switches = 0

    def begin(self) -> None:
        """Begin to count: the process is about to run."""
        self.begun = read(self.pid)

    def end(self) -> None:
        """End counting: the process has stopped."""
        if self.begun and (ended := read(self.pid)):
            self.seconds += ended.at - self.begun.at
            self.cpu += ended.cpu - self.begun.cpu
            self.switches += ended.switches - self.begun.switches
        self.begun = None

    def take(self) -> Reading | None:
        """Return what was read since the last time; None where that is nothing."""
        found = Reading(self.cpu / self.seconds, self.switches / self.seconds) if self.seconds > 0 else None
        self.clear()
        return found
