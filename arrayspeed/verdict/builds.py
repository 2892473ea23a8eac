"""Builds of one package that differ by more than their release: for the CPU alone, or for a kind of GPU."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

#: Kinds that a local version names, as in ``2.13.0+cpu``. CUDA's (``+cu130``) are those that name none, too.
KIND = re.compile("cpu|rocm|xpu")


def note(sides: Sequence[Mapping[str, str]]) -> str:
    """Return which packages are builds of different kinds on the sides; "" where none is. ``sides``: package -> version
    of each.
    """
    found = []
    for name in sorted(set(sides[0]).intersection(*sides[1:]), key=str.lower):
        versions = [side[name] for side in sides]
        if len(set(map(kind, versions))) > 1:
            found.append(f"{name} {' and '.join(dict.fromkeys(versions))}")
    if not found:
        return ""
    return f"Builds of different kinds: {', '.join(found)}. What differs may be of the build and not of the release."


def kind(version: str) -> str:
    """Return the kind of a build by its version; "" where that names none."""
    named = KIND.match(version.partition("+")[2])
    return named[0] if named else ""
