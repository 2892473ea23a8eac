"""Progress of a run: what was measured, what is left, and an estimate of the time that it takes."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

#: Seconds that a process takes, until this run has seen its own: compilation, and up to a second of sampling. The
#: imports are the server's.
FIRST_GUESS = {
    "numpy": 0.6,
    "numba": 1.4,
    "jax": 0.9,
    "jax-jit": 0.9,
    "torch": 0.8,
    "torch-compile": 1.6,
    "tensorflow": 0.9,
    "tensorflow-xla": 1.2,
    "cupy": 1.0,
}


class Progress:
    """Prints a line a finished chunk. The estimate is each backend's own pace: the share of the time so far that
    its first guess had of the guesses so far.
    """

    def __init__(self, chunks: dict, passes: Callable) -> None:
        """``passes`` says how many processes a combination gets."""
        self.passes = passes
        self.left = sum(self.guess(ones) for ones in chunks.values())
        self.count = len(chunks)
        self.number = 0
        self.guessed = 0.0
        self.spent = 0.0
        self.terminal = sys.stdout.isatty()
        self.started = time.monotonic()

    def guess(self, ones: list) -> float:
        """First guess of a chunk's seconds."""
        return sum(FIRST_GUESS.get(one.backend, 3.0) * self.passes(one) for one in ones)

    def remaining(self) -> float:
        """Seconds left, by the pace so far."""
        # The first guesses count as a chunk of experience, so that one odd chunk does not upset the estimate.
        pace = (self.spent + 5.0) / (self.guessed + 5.0)
        return self.left * pace

    def start(self, ones: list) -> None:
        """Say what is being measured."""
        self.number += 1
        self.started = time.monotonic()
        if self.terminal:
            text = f"[{self.number}/{self.count}] {title(ones)} … about {clock(self.remaining())} left"
            print(f"\r\x1b[K{text}", end="", flush=True)

    def finish(self, ones: list, shown: str) -> None:
        """Print what a chunk gave."""
        guess = self.guess(ones)
        self.spent += time.monotonic() - self.started
        self.guessed += guess
        self.left = max(0.0, self.left - guess)
        start = "\r\x1b[K" if self.terminal else ""
        left = f"{clock(self.remaining())} left" if self.number < self.count else "done"
        print(f"{start}[{self.number}/{self.count}] {title(ones)}: {shown} ({left})", flush=True)

    def end(self) -> None:
        """Leave the terminal's line clean."""
        if self.terminal:
            print("\r\x1b[K", end="", flush=True)


def is_timed(one) -> bool:
    """Whether asv runs the combination in several rounds."""
    return one.measure.startswith(("time_", "timeraw_"))


def title(ones: list) -> str:
    """What a chunk measures."""
    first = ones[0]
    return first.benchmark if first.size is None else f"{first.benchmark} {first.size:,}"


def clock(seconds: float) -> str:
    """Minutes and seconds, or hours and minutes."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes_left = divmod(minutes, 60)
    return f"{hours}:{minutes_left:02d} h" if hours else f"{minutes}:{rest:02d} min"
