"""Which sides are the fastest: all that no other one is shown to be faster than."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from arrayspeed.decide import Decision
from arrayspeed.decide.words import BROKEN, FAILS, FASTER, SLOWER, WORKS
from arrayspeed.own.measures import CARRYING, Key, Reference
from arrayspeed.own.records import Item

#: Words of a subject that is beaten by its reference, and of a reference that is beaten by its subject.
BEATEN, BEATS = (SLOWER, FAILS), (FASTER, WORKS)


def best(decisions: Mapping[Key, Decision], sides: Sequence[str]) -> dict[Item, list[str]]:
    """Return the fastest sides of each function and size, in their order; every pair must have been compared."""
    beaten: dict[Item, set[Reference]] = {}
    for (function, size, measure, side), decision in decisions.items():
        if function is None or measure not in CARRYING:
            continue
        reference, subject = (sides[0], side) if isinstance(side, str) else side
        out = beaten.setdefault((function, size), set())
        if decision.verdict in BEATEN:
            out.add(subject)
        elif decision.verdict in BEATS:
            out.add(reference)
        elif decision.verdict == BROKEN:
            out |= {reference, subject}
    return {item: [side for side in sides if side not in out] for item, out in beaten.items()}
