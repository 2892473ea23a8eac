"""A word that two states of the allocator must share.

In the usual state, glibc gives the end of its heap back to the system and takes it anew with page faults, or does not:
where the last blocks happen to lie decides. That differs between two releases of a library for reasons that have
nothing to do with the call, and in the user's process it may be the other way round. A change that comes with other
page faults, and that the other state does not show, is therefore true of the processes that were measured, and not of
the release.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping
from dataclasses import replace
from typing import TypeVar

from arrayspeed.decide.judge import Decision
from arrayspeed.decide.words import TIMES, UNCLEAR

#: What comparisons are called by who asks.
Key = TypeVar("Key", bound=Hashable)

CHANGES = (TIMES.more, TIMES.less)


def agreed(
    decisions: Mapping[Key, Decision], pairs: Iterable[tuple[Key, Key]], moved: Collection[Key]
) -> dict[Key, Decision]:
    """Return decisions in which a time that changed in one state alone, with other page faults, is unclear. Bounds and
    intervals stay.

    ``pairs``: the two keys of each combination that has both states; ``moved``: the keys of those whose sides' page
    faults differ by so many that they may be the change (`arrayspeed.model.retention.apart`).
    """
    found = dict(decisions)
    for pair in pairs:
        if len({decisions[one].verdict for one in pair}) > 1:
            for one in pair:
                if one in moved and decisions[one].verdict in CHANGES:
                    found[one] = replace(decisions[one], verdict=UNCLEAR)
    return found
