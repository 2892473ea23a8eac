"""What a measurement is doing and what is left of it, on standard error."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Sequence

from arrayspeed.decide import Looks
from arrayspeed.decide.words import ORDER
from arrayspeed.formats.progress import change, clear, clock, say
from arrayspeed.model.units import plural


class Progress:
    """A line a look; on a terminal also one that changes. The estimate is the pace of the round so far.

    ``minutes``: when it is stopped.
    """

    def __init__(self, plan: Sequence[int], minutes: float = math.inf) -> None:
        self.plan = plan
        self.until = time.monotonic() + 60 * minutes
        self.pace: float | None = None

    def begin(self, functions: int, sides: int) -> None:
        """Begin a measurement."""
        looks = ", ".join(map(str, self.plan))
        say(f"{plural(functions, 'function')} on {sides} sides, looked at after {looks} rounds")

    def start(self, number: int, count: int) -> None:
        """Begin a round of so many functions."""
        self.number, self.count, self.done = number, count, 0
        self.started = time.monotonic()

    def doing(self, name: str) -> None:
        """Show that a function is being measured."""
        look = next(look for look in self.plan if look > self.number)
        left = ""
        if self.pace:
            rest = self.count - self.done + (look - self.number - 1) * self.count
            left = f", about {clock(rest * self.pace)} to the next look"
        change(f"round {self.number + 1} of {look}: {self.done} of {self.count}, {name}{left}")

    def finish(self) -> None:
        """Note that a function of the round is finished."""
        self.done += 1
        self.pace = (time.monotonic() - self.started) / self.done

    def look(self, rounds: int, looks: Looks, left: int) -> None:
        """Say what a look decided, and what is left."""
        words = Counter(looks.words.values())
        said = ", ".join(f"{words[word]} {word}" for word in ORDER if words[word]) or "nothing decided"
        rest = self.plan[-1] - rounds
        more = f"; {plural(left, 'function')} left" if left and rest else ""
        if more and self.pace:
            more += f", {clock(min(left * rest * self.pace, max(0.0, self.until - time.monotonic())))} at most"
        say(f"after {rounds} rounds: {said}{more}")

    def end(self, why: str | None = None) -> None:
        """Leave the terminal's line clean, and say why it ended early."""
        clear()
        if why:
            say(why)
