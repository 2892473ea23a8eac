"""A range of releases in parts, each of which one Python runs: JAX 0.4.13 needs 3.11 or older, 0.12 needs 3.12."""

from __future__ import annotations

import functools
from bisect import bisect_left
from collections.abc import Callable, Sequence

from arrayspeed.environments.listed import Release
from arrayspeed.environments.pythons import NoPython, shared


def parts(releases: Sequence[Release], running: Callable[[str], Sequence[str]]) -> list[list[Release]]:
    """Return the releases in as few parts as can be; each begins with the last release of the one before.

    Parameters
    ----------
    releases
        From the old end to the new one.
    running
        The Pythons that run a release.

    Raises
    ------
    NoPython
        A release and the next one that can be installed have no Python in common.
    """
    known = functools.cache(running)
    rest, found = list(releases), []
    while not together(known, rest[0], rest[-1]):
        usable = [one for one in rest if one is rest[0] or not one.obstacle]
        # Pythons only move on, so that those which run with the first release are the first ones.
        first = rest[0]
        count = bisect_left(usable, True, key=lambda item: not together(known, first, item))
        if count < 2:
            after = usable[1].version if len(usable) > 1 else rest[-1].version
            raise NoPython(f"no Python runs both {first.version} and {after}")
        end = rest.index(usable[count - 1])
        found.append(rest[: end + 1])
        rest = rest[end:]
    return [*found, rest]


def together(running: Callable[[str], Sequence[str]], release: Release, other: Release) -> bool:
    """Return whether a Python runs both."""
    return bool(shared([running(release.version), running(other.version)]))
