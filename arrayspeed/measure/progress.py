"""Progress of a run: what was measured, what is left, and an estimate of the time that it takes."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

from arrayspeed.formats.progress import change, clear, clock, say
from arrayspeed.model.combination import Combination
from arrayspeed.model.units import plural
from kernels import BACKENDS

if TYPE_CHECKING:
    from arrayspeed.decide import Looks

#: Seconds of a process that runs no backend: it imports a library.
IMPORTING = 3.0


def cost(backend: str) -> float:
    """Seconds that a process takes, until this run has seen its own. The imports are the server's."""
    return BACKENDS[backend].cost if backend in BACKENDS else IMPORTING


class Progress:
    """Prints a line a finished chunk. The estimate is each backend's own pace: the share of the time so far that
    its first guess had of the guesses so far.
    """

    def __init__(self, chunks: Collection[list[Combination]], passes: Callable[[Combination], int]) -> None:
        """Begin; ``passes`` says how many processes a combination gets."""
        self.passes = passes
        self.left = sum(self.guess(ones) for ones in chunks)
        self.count = len(chunks)
        self.number = 0
        self.guessed = 0.0
        self.spent = 0.0
        self.started = time.monotonic()

    def guess(self, ones: list[Combination]) -> float:
        """First guess of a chunk's seconds."""
        return sum(cost(one.backend) * self.passes(one) for one in ones)

    def pace(self) -> float:
        """Return how much longer things take than was guessed."""
        # The first guesses count as a chunk of experience, so that one odd chunk does not upset the estimate.
        return (self.spent + 5.0) / (self.guessed + 5.0)

    def remaining(self) -> float:
        """Seconds left, by the pace so far."""
        return self.left * self.pace()

    def expected(self, ones: list[Combination]) -> float:
        """Seconds that a chunk takes, by the pace so far; 0 before anything is known of it."""
        return self.guess(ones) * self.pace() if self.number else 0.0

    def start(self, ones: list[Combination]) -> None:
        """Say what is being measured."""
        self.number += 1
        self.started = time.monotonic()
        change(f"[{self.number}/{self.count}] {title(ones)} … about {clock(self.remaining())} left")

    def finish(self, ones: list[Combination], shown: str) -> None:
        """Print what a chunk gave."""
        guess = self.guess(ones)
        self.spent += time.monotonic() - self.started
        self.guessed += guess
        self.left = max(0.0, self.left - guess)
        left = f"{clock(self.remaining())} left" if self.number < self.count else "done"
        say(f"[{self.number}/{self.count}] {title(ones)}: {shown} ({left})")


class Block(Protocol):
    """What the progress of rounds asks of a block."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def first(self) -> int | None:
        """Rounds that are enough for the first look; None for all of them."""


class Rounds:
    """Prints the progress of rounds: at the start how long they take at most, a line a round, and what each look
    decided. On a terminal a line that changes says what is being measured.
    """

    def __init__(
        self,
        blocks: Mapping[Any, Block],
        plan: Sequence[int],
        guesses: Mapping[str, float],
        finished: Mapping[Any, int] = MappingProxyType({}),
        minutes: float = math.inf,
    ) -> None:
        """``plan`` says after how many rounds is looked, ``guesses`` how many seconds a round of each block may take,
        by its name, ``finished`` how many rounds a block has already, and ``minutes`` when it is stopped.
        """
        self.plan = plan
        self.guesses = dict(guesses)
        self.finished = {block.name: finished.get(where, 0) for where, block in blocks.items()}
        self.seconds: dict[str, float] = {}
        self.guessed = self.spent = 0.0
        self.until = time.monotonic() + 60 * minutes
        first, last = (
            sum(
                self.guesses[block.name] * max(0, rounds - finished.get(where, 0))
                for where, block in blocks.items()
                for rounds in [look if look > plan[0] else min(look, block.first or look)]
            )
            for look in (plan[0], plan[-1])
        )
        begun = sum(where in blocks and count > 0 for where, count in finished.items())
        say(
            f"{plural(len(blocks), 'block')}{f', {begun} of them begun' if begun else ''}, "
            f"judged after {', '.join(map(str, plan))} rounds: "
            f"about {clock(min(first, 60 * minutes))} to the first look, {clock(min(last, 60 * minutes))} at most"
        )

    def start(self, number: int, todo: Sequence[Block], every: int) -> None:
        """Begin a round: the blocks that are to be measured, and how many are undecided."""
        self.number, self.todo, self.every = number, [block.name for block in todo], every
        self.whole = list(self.todo)
        self.latest = time.monotonic()
        self.show()

    def finish(self, gang: Sequence[Block]) -> None:
        """Blocks that share their processes are finished in this round."""
        took = time.monotonic() - self.latest
        self.latest += took
        self.spent += took
        for block in gang:
            self.seconds[block.name] = took / len(gang)
            self.guessed += self.guesses[block.name]
            self.todo.remove(block.name)
        self.show()

    def scale(self) -> float:
        """Return how much longer things take than was guessed. The guess counts for half a minute of experience."""
        return (self.spent + 30.0) / (self.guessed + 30.0)

    def expected(self, names: Iterable[str]) -> float:
        """Seconds of blocks in a round: what they took in the latest, or the guess."""
        scale = self.scale()
        return sum(self.seconds[name] if name in self.seconds else self.guesses[name] * scale for name in names)

    def took(self, gang: Iterable[Block]) -> float:
        """Seconds that blocks took in the latest round; 0 before it is known."""
        return sum(self.seconds.get(block.name, 0.0) for block in gang)

    def show(self) -> None:
        """Show the line that changes; without a terminal, a line where a round is finished."""
        look = next(look for look in self.plan if look > self.number)
        rest = self.expected(self.todo) + (look - self.number - 1) * self.expected(self.whole)
        count = len(self.whole)
        text = (
            f"round {self.number + 1} of {look}: {count - len(self.todo)} of {plural(count, 'block')}, "
            f"{clock(rest)} to the next look"
        )
        if not change(text) and count and not self.todo:
            say(text)

    def look(self, rounds: int, looks: Looks, left: Sequence[Block]) -> None:
        """Say what a look decided, and what is left."""
        from arrayspeed.decide.words import ORDER  # imports SciPy, which a run in an existing interpreter must not need

        words = Counter(looks.words.values())
        said = ", ".join(f"{words[word]} {word}" for word in ORDER if words[word]) or "nothing decided"
        noisy = len(looks.given_up - looks.decisions.keys())
        given_up = f"; {noisy} too noisy for {self.plan[-1]} rounds to decide" if noisy else ""
        # What an earlier run made counts: some may have all of their rounds, undecided as they are.
        more = {block.name: self.plan[-1] - max(rounds, self.finished[block.name]) for block in left}
        more = {name: count for name, count in more.items() if count > 0}
        seconds = sum(self.expected([name]) * count for name, count in more.items())
        seconds = min(seconds, max(0.0, self.until - time.monotonic()))
        # Not comparisons, of which a block may hold several.
        rest = f"; {plural(len(more), 'block')} left, {clock(seconds)} at most" if more else ""
        say(f"after {rounds} rounds: {said}{given_up}{rest}")

    def end(self, why: str | None = None) -> None:
        """Leave the terminal's line clean, and say why it ended early."""
        clear()
        if why:
            say(why)


def title(ones: list[Combination]) -> str:
    """Return what a chunk measures."""
    first = ones[0]
    return first.benchmark if first.size is None else f"{first.benchmark} {first.size:,}"
