"""What has another place on one side of a comparison than on the other, and is the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable


def moved(old: Iterable[str], new: Iterable[str], between: str) -> dict[str, str]:
    """Return the names that have another place on the new side: old -> new.

    A name of the old side alone is the one name of the new side alone that begins and ends alike: NumPy 2 has
    ``numpy/_core/fromnumeric.py`` where NumPy 1 has ``numpy/core/fromnumeric.py``.

    Parameters
    ----------
    old, new
        All names of both sides.
    between
        What stands between the parts of a name.
    """

    def ends(name: str) -> tuple[str, str]:
        return name.partition(between)[0], name.rpartition(between)[2]

    before, after = set(old), set(new)
    gone, come = before - after, after - before
    counts = [Counter(map(ends, those)) for those in (gone, come)]
    places = {ends(name): name for name in come}
    return {name: places[ends(name)] for name in gone if counts[0][ends(name)] == counts[1][ends(name)] == 1}
