"""Measure blocks round after round, until every comparison is decided or the limits are reached."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import TypeVar

from arrayspeed.decide import Decision, Observed
from arrayspeed.decide.words import FAILURES
from arrayspeed.measure.block_results import in_both_states, resumed, stored, write_results
from arrayspeed.measure.blocks import Block, group_by_process, guesses, never, rounds
from arrayspeed.measure.looking import Clock, Limits, look_by_look
from arrayspeed.measure.plan import nothing
from arrayspeed.measure.players import Interleaving
from arrayspeed.measure.progress import Rounds
from arrayspeed.measure.session import Session
from arrayspeed.model.errors import UserError
from arrayspeed.records import processes
from arrayspeed.records.processes import Process

#: What tells blocks apart, and what tells comparisons apart.
Where = TypeVar("Where", bound=Hashable)
Compared = TypeVar("Compared", bound=Hashable)


def until_decided(
    session: Session,
    blocks: Mapping[Where, Block],
    take: Callable[[Block, list[Process]], None],
    observed: Callable[[], dict[Compared, Observed]],
    limits: Limits,
    finished: Mapping[Where, int] | None = None,
    turns: Interleaving | None = None,
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
    clock = Clock(limits.minutes)
    looks = limits.looks()
    finished = finished or {}
    progress = Rounds(blocks, looks.plan, guesses(blocks.values()), finished, limits.minutes)
    left = list(blocks)
    with rounds(session, turns, retained) as next_round:

        def play(number: int) -> None:
            todo = [
                where
                for where in left
                if finished.get(where, 0) <= number and not blocks[where].waits(number, looks.plan[0])
            ]
            progress.start(number, [blocks[where] for where in todo], len(left))
            now = next_round(number)
            # What took least comes first: should time be up, most comparisons have the round.
            for gang in sorted(group_by_process(blocks[where] for where in todo), key=progress.took):
                clock.check()
                for block, played in zip(gang, now.play(gang), strict=True):
                    for process in played if store else ():
                        processes.store(session, process.one.environment, [process], session.home(block.name))
                    take(block, played)
                progress.finish(gang)

        def go_on(done: int, undecided: set[Compared]) -> bool:
            left[:] = [where for where in left if where in undecided or any(of(key, where) for key in undecided)]
            progress.look(done, looks, [blocks[where] for where in left])
            return bool(left)

        found = look_by_look(looks, play, lambda _: observed(), go_on, progress, limits.whole)
    if found.stopped and not found.decisions:
        raise UserError(f"{found.stopped} before anything was measured")
    return found.decisions


def go_on(
    session: Session,
    blocks: Mapping[str, Block],
    observed: Callable[[Mapping[str, Block], Mapping[str, list[Process]]], dict[Compared, Observed]],
    limits: Limits,
    turns: Interleaving | None = None,
) -> int:
    """Measure blocks until they are decided, from where earlier runs of the same code stopped, and write asv's results;
    return the exit status, which is 1 where anything fails.

    ``observed``: what is compared, of blocks and the processes of each. ``turns``: how sides take turns.
    """
    found = stored(session, blocks)

    def take(block: Block, played: list[Process]) -> None:
        found[block.name] += played

    try:
        going = {name: resumed(blocks[name], ones) for name, ones in found.items()}
        left = {name: block for name, (block, _) in going.items()}
        before = {name: whole for name, (_, whole) in going.items()}
        retained = in_both_states(found)
        decisions = until_decided(
            session, left, take, lambda: observed(blocks, found), limits, before, turns, retained=retained
        )
    finally:
        write_results(session, found)
    return 1 if any(one.verdict in FAILURES for one in decisions.values()) else 0


def of(key: Hashable, where: Hashable) -> bool:
    """Return whether a comparison's key belongs to a block's."""
    return isinstance(key, tuple) and bool(key) and key[0] == where
