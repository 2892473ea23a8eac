"""In which of the allocator's states a function is timed: `arrayspeed.model.retention`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from arrayspeed.decide.observed import level, works
from arrayspeed.model import retention
from arrayspeed.model.retention import ALWAYS, NEVER, WHERE_FAULTS
from arrayspeed.own.records import Record


def differ(rows: Sequence[Mapping[str, Record]]) -> bool:
    """Return whether a call takes another time on any side where freed memory is retained, by the first round that
    shows it.

    ``rows``: rounds, side -> record.
    """
    for row in rows:
        known = [
            retention.differ(level(record.batches), record.faults, level(record.retained), record.retained_faults)
            for record in row.values()
            if works(record.batches) and works(record.retained)
        ]
        if known:
            return any(known)
    return False


def when(number: int, wanted: Collection[str], measure: str, shown: bool, first_look: bool) -> str:
    """When a round has turns in which memory is retained: `Interleaving.retained`.

    ``wanted``: measures that are asked for; ``measure``: that of these turns; ``shown``: `differ` of the rounds before;
    ``first_look``: nothing is decided yet, so that everything is asked for.
    """
    if not first_look:
        return ALWAYS if measure in wanted else NEVER
    if number == 0:
        return WHERE_FAULTS
    return ALWAYS if shown else NEVER
