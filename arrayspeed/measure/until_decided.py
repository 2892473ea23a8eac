"""Measure blocks round after round, until every comparison is decided or the limits are reached."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from arrayspeed.decide import LOOKS, Decision, Looks, Observed
from arrayspeed.decide.words import FACTOR
from arrayspeed.measure import interrupts
from arrayspeed.measure.blocks import Block, gangs, never, rounds
from arrayspeed.measure.plan import nothing
from arrayspeed.measure.players import Turns
from arrayspeed.measure.progress import Rounds
from arrayspeed.measure.session import Session
from arrayspeed.model.errors import UserError
from arrayspeed.records import processes
from arrayspeed.records.processes import Process

#: What tells blocks apart, and what tells comparisons apart.
Where = TypeVar("Where", bound=Hashable)
Compared = TypeVar("Compared", bound=Hashable)


@dataclass(frozen=True)
class Limits:
    """When to stop although not everything is decided: rounds of each comparison, and minutes for all. ``factor`` is
    the ratio that somebody would act on; with ``once`` all rounds are made, and looked at then. With ``whole``, what
    was stopped early is not judged: Ctrl-C is raised, and so is `OutOfTime`. ``patient``: as of `Looks`.
    """

    rounds: int = LOOKS[-1]
    minutes: float = float("inf")
    factor: float = FACTOR
    once: bool = False
    whole: bool = False
    patient: bool = False


class OutOfTime(Exception):
    """Time is up."""


def until_decided(
    session: Session,
    blocks: Mapping[Where, Block],
    take: Callable[[Block, list[Process]], None],
    observed: Callable[[], dict[Compared, Observed]],
    limits: Limits,
    finished: Mapping[Where, int] | None = None,
    turns: Turns | None = None,
    store: bool = True,
    retained: Callable[[Block], str] = never,
) -> dict[Compared, Decision]:
    """Make round after round of what is not decided, look at it when it is time to, and return the decisions.

    Ctrl-C and the end of the minutes are no errors: what was undecided by then stays undecided.

    Parameters
    ----------
    session, blocks, limits
        Where, what, and for how long.
    take
        Is given a block and what its sides gave in a round, which is stored by then.
    observed
        Everything so far, by the keys of ``blocks`` and perhaps others: a block may be compared in several ways, whose
        keys are then tuples that begin with the block's.
    turns, store, retained
        How sides take turns, whether their processes are stored, and when they take further turns in which they retain
        freed memory.
    finished
        Rounds that a block has already, of an earlier run that was interrupted.

    Raises
    ------
    UserError
        There is nothing to measure, or it was stopped before anything was measured.
    """
    if not blocks:
        raise UserError(nothing([]))
    until = time.monotonic() + 60 * limits.minutes
    looks = Looks(limits.rounds, limits.factor, once=limits.once, patient=limits.patient)
    finished = finished or {}
    progress = Rounds(blocks, looks.plan, finished)
    left = list(blocks)
    try:
        with rounds(session, turns, retained) as next_round:
            done = 0
            for look in looks.plan:
                for number in range(done, look):
                    todo = [
                        where
                        for where in left
                        if finished.get(where, 0) <= number and not blocks[where].waits(number, looks.plan[0])
                    ]
                    progress.start(number, [blocks[where] for where in todo], len(left))
                    now = next_round(number)
                    # What took least comes first: should time be up, most comparisons have the round.
                    for gang in sorted(gangs(blocks[where] for where in todo), key=progress.took):
                        interrupts.check()
                        if time.monotonic() > until:
                            raise OutOfTime
                        for block, played in zip(gang, now.play(gang), strict=True):
                            for process in played if store else ():
                                processes.store(session, process.one.environment, [process])
                            take(block, played)
                        progress.finish(gang)
                done = look
                decisions = looks.look(observed())
                open_ = set(looks.undecided(decisions))
                left = [where for where in left if where in open_ or any(of(key, where) for key in open_)]
                progress.look(look, looks, [blocks[where] for where in left])
                if not left:
                    break
        progress.end()
        return decisions
    except (KeyboardInterrupt, OutOfTime) as error:
        if limits.whole:
            progress.end()
            raise
        interrupts.forget()
        why = "stopped" if isinstance(error, KeyboardInterrupt) else "time is up"
        progress.end(f"{why}: what follows is decided from what has been measured")
        so_far = observed()
        if not so_far:
            raise UserError(f"{why} before anything was measured") from error
        return looks.look(so_far, last=isinstance(error, OutOfTime))


def of(key: Hashable, where: Hashable) -> bool:
    """Whether a comparison's key belongs to a block's."""
    return isinstance(key, tuple) and bool(key) and key[0] == where
