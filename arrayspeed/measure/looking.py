"""One loop of rounds and looks, whatever a round measures."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from arrayspeed.decide import LOOKS, Decision, Looks, Observed
from arrayspeed.decide.words import FACTOR, LIMIT, WORDS
from arrayspeed.measure import interrupts

#: What tells comparisons apart.
Key = TypeVar("Key")


@dataclass(frozen=True)
class Limits:
    """When to stop although not everything is decided: rounds of each comparison, and minutes for all. ``factor``,
    ``limit``, ``until``, ``patient``: as of `Looks`; with ``once`` all rounds are made, and looked at then. With
    ``whole``, what was stopped early is not judged: Ctrl-C is raised, and so is `OutOfTime`.
    """

    rounds: int = LOOKS[-1]
    minutes: float = float("inf")
    factor: float = FACTOR
    once: bool = False
    whole: bool = False
    patient: bool = False
    limit: float = LIMIT
    until: str = WORDS

    def looks(self) -> Looks:
        """Return the looks of one measurement."""
        return Looks(self.rounds, self.factor, self.limit, self.until, once=self.once, patient=self.patient)


class OutOfTime(Exception):
    """Time is up."""


class Clock:
    """The minutes of a measurement, from now on."""

    def __init__(self, minutes: float) -> None:
        self.until = time.monotonic() + 60 * minutes

    def check(self) -> None:
        """Check whether to go on.

        Raises
        ------
        KeyboardInterrupt
            Somebody has pressed Ctrl-C.
        OutOfTime
            The minutes are over.
        """
        interrupts.check()
        if time.monotonic() > self.until:
            raise OutOfTime


class Progress(Protocol):
    """What is told of a measurement while it goes on."""

    def end(self, why: str | None = None) -> None:
        """Leave the terminal's line clean, and say why it ended early."""


@dataclass(frozen=True)
class Looked(Generic[Key]):
    """What was decided; ``stopped``: why it ended early, "" where it did not."""

    decisions: dict[Key, Decision]
    stopped: str = ""


def look_by_look(
    looks: Looks,
    play: Callable[[int], None],
    observed: Callable[[int], Mapping[Key, Observed]],
    go_on: Callable[[int, set[Key]], bool],
    progress: Progress,
    whole: bool = False,
) -> Looked[Key]:
    """Make round after round, look at what there is when it is time to, and return the decisions.

    Ctrl-C and the end of the minutes are no errors: what was undecided by then stays undecided.

    Parameters
    ----------
    looks
        The looks of this measurement.
    play
        Makes the round of a number, of what is undecided.
    observed
        Everything from so many rounds.
    go_on
        Is given the rounds so far, and what is undecided after a look; returns whether anything is left to measure.
    progress
        Is told of the end.
    whole
        Whether what was stopped early is not judged.

    Raises
    ------
    KeyboardInterrupt, OutOfTime
        With ``whole``, where it is stopped early.
    """
    done = 0
    decisions: dict[Key, Decision] = {}
    try:
        for look in looks.plan:
            for number in range(done, look):
                play(number)
            done = look
            seen = observed(look)
            decisions = looks.look(seen)
            if not go_on(look, set(looks.undecided(seen))):
                break
        progress.end()
        return Looked(decisions)
    except (KeyboardInterrupt, OutOfTime) as error:
        if whole:
            progress.end()
            raise
        interrupts.forget()
        why = "stopped" if isinstance(error, KeyboardInterrupt) else "time is up"
        progress.end(f"{why}: what follows is decided from what has been measured")
        seen = observed(looks.rounds)
        return Looked(looks.look(seen, last=isinstance(error, OutOfTime)) if seen else {}, why)
