"""The exact packages of every side, so that nothing differs but what is compared.

Companions (NumPy beside JAX) are chosen once: the first side's versions are preferred by the next, which changes only
what its own requirements force it to; then the other way round, where that leaves fewer differences.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from arrayspeed.environments.install import UNREACHABLE
from arrayspeed.environments.pythons import span, supporting
from arrayspeed.environments.uv import Uv, why
from arrayspeed.model.errors import UserError
from arrayspeed.own.locks import packages_of
from arrayspeed.own.sides import Side

#: Package -> version or address.
Packages = dict[str, str]


def resolve(uv: Uv, sides: Sequence[Side], pythons: Sequence[str], dependencies: Sequence[str]) -> list[list[str]]:
    """The pins of each side.

    Parameters
    ----------
    uv
        What resolves.
    sides, pythons
        The sides, and the interpreter of each.
    dependencies
        Requirements that all of them have; those of packages that a side names itself do not count there.

    Raises
    ------
    UserError
        A version does not exist, which is said before anything is installed; or requirements contradict each other.
    """
    wanted = [requirements_of(uv, side, dependencies) for side in sides]
    for side, python in zip(sides, pythons, strict=True):
        for text in side.wanted:
            exists(uv, text, python)
    first = preferring(uv, sides[0], pythons[0], wanted[0], [])
    found = [first, *(preferring(uv, *each, first) for each in zip(sides[1:], pythons[1:], wanted[1:], strict=True))]
    if len(found) == 2 and different(*found):
        back = preferring(uv, sides[0], pythons[0], wanted[0], found[1])
        if len(different(back, found[1])) < len(different(*found)):
            found[0] = back
    return found


def requirements_of(uv: Uv, side: Side, dependencies: Iterable[str]) -> list[str]:
    """Everything that a side asks for: its own, its lock file's, and the file's dependencies that neither names."""
    own = [*side.wanted, *(packages_of(uv, side.lock) if side.lock else ())]
    named = {name_of(text) for text in own}
    return [*own, *(text for text in dependencies if name_of(text) not in named)]


def preferring(uv: Uv, side: Side, python: str, wanted: Sequence[str], other: Sequence[str]) -> list[str]:
    """A side's pins, those of another side where they fit.

    Raises
    ------
    UserError
        They cannot be had.
    """
    if not wanted:
        return []
    pins, messages = uv.compile(wanted, python, preferred=other)
    if messages:
        raise UserError(f"cannot install {', '.join(side.wanted) or side.label}: {blamed(messages, wanted)}")
    return pins


def blamed(messages: str, wanted: Sequence[str]) -> str:
    """Why requirements cannot be had together, with those that uv names."""
    named = [text for text in wanted if re.search(rf"(?<![\w.-]){re.escape(name_of(text))}(?![\w-])", messages)]
    reason = why(messages)
    return reason if reason == UNREACHABLE or not named else f"{reason} ({', '.join(named)})"


def exists(uv: Uv, text: str, python: str) -> None:
    """Whether there is a requirement at all.

    Raises
    ------
    UserError
        There is no such package, no such version (the nearest are named), or no network.
    """
    requirement = Requirement(text)
    pins = [each.version for each in requirement.specifier if each.operator in ("==", "===")]
    if requirement.url or len(pins) != 1:
        return
    name = str(Requirement(text.split("==")[0]))
    found, messages = uv.compile([text], python, "--no-deps")
    if found:
        return
    reason = why(messages)
    if reason == UNREACHABLE:
        raise UserError(f"cannot install {text}: {reason}, and it was not fetched before")
    if able := supporting(uv, [text]):
        raise UserError(f"cannot install {text}: it needs Python {span(able)}")
    near = nearest(uv, name, pins[0], python)
    if not near:
        raise UserError(f"cannot install {text}: {reason}")
    if pins[0] in near:
        raise UserError(f"cannot install {text}: {reason}")
    raise UserError(f"there is no {name} {pins[0]} for this Python and system; the nearest are {' and '.join(near)}")


def nearest(uv: Uv, name: str, version: str, python: str) -> list[str]:
    """The next versions below and above one that does not exist."""
    try:
        Version(version)
    except InvalidVersion:
        return []
    below, _ = uv.compile([f"{name}<{version}"], python, "--no-deps")
    above, _ = uv.compile([f"{name}>{version}"], python, "--no-deps", "--resolution", "lowest-direct")
    return [pin.partition("==")[2] for pin in (*below, *above) if "==" in pin]


def name_of(text: str) -> str:
    """The package of a requirement or a pin; the text itself where it is an address alone."""
    try:
        return canonicalize_name(Requirement(text).name)
    except InvalidRequirement:
        return text


def packages(pins: Iterable[str]) -> Packages:
    """Package -> version or address, of pins."""
    return {name_of(pin): re.split(r"==| @ ", pin, maxsplit=1)[-1].split(";")[0].strip() for pin in pins}


def different(one: Iterable[str], other: Iterable[str]) -> list[str]:
    """Packages whose versions differ between two lists of pins."""
    old, new = packages(one), packages(other)
    return sorted(name for name in old.keys() | new.keys() if old.get(name) != new.get(name))
