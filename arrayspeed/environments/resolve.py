"""The exact packages of every side, so that nothing differs but what is compared.

Companions (NumPy beside JAX) are chosen once: the first side's versions are preferred by the next, which changes only
what its own requirements force it to; then the other way round, where that leaves fewer differences.

What is released together with what a side asks for (jaxlib with JAX) is no companion. JAX accepts an older jaxlib,
which holds what compiles and computes: with that on both sides, a new JAX would be compared without its other half.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from packaging.requirements import Requirement
from packaging.version import InvalidVersion, Version

from arrayspeed.environments.failures import UNREACHABLE, why
from arrayspeed.environments.pythons import span, supporting
from arrayspeed.environments.requirements import name_of
from arrayspeed.environments.uv import Uv
from arrayspeed.model.errors import UserError

#: Package -> version or address.
Packages = dict[str, str]


@dataclass(frozen=True)
class Requested:
    """What a side asks for: what people call it, requirements that tell it from the others, and all of them."""

    label: str
    own: tuple[str, ...]
    every: tuple[str, ...]


def resolve(uv: Uv, sides: Sequence[Requested], pythons: Sequence[str]) -> list[list[str]]:
    """Return the pins of each side.

    Parameters
    ----------
    uv
        What resolves.
    sides, pythons
        The sides, and the interpreter of each.

    Raises
    ------
    UserError
        A version does not exist, which is said before anything is installed; or requirements contradict each other.
    """
    try:
        first = preferring(uv, sides[0], pythons[0], [])
        others = zip(sides[1:], pythons[1:], strict=True)
        pins = [first, *(preferring(uv, *each, companions(first, sides[0])) for each in others)]
    except UserError:
        # Asked only now, since each question takes a third of a second; which version is missing is the better answer.
        for side, python in zip(sides, pythons, strict=True):
            for text in side.own:
                exists(uv, text, python)
        raise
    if len(pins) == 2 and different(*pins):
        back = preferring(uv, sides[0], pythons[0], companions(pins[1], sides[1]))
        if len(different(back, pins[1])) < len(different(*pins)):
            pins[0] = back
    return pins


def companions(pins: Sequence[str], side: Requested) -> list[str]:
    """Return a side's pins but for what is released together with what it asks for, by having the same version."""
    own = {name_of(text) for text in side.own}
    found = packages(pins)
    together = {found[name] for name in own if name in found}
    return [pin for pin in pins if (name := name_of(pin)) in own or found.get(name) not in together]


def preferring(uv: Uv, side: Requested, python: str, other: Sequence[str]) -> list[str]:
    """Return a side's pins, those of another side where they fit.

    Raises
    ------
    UserError
        They cannot be had.
    """
    if not side.every:
        return []
    pins, messages = uv.compile(side.every, python, preferred=other)
    if messages:
        raise UserError(f"cannot install {', '.join(side.own) or side.label}: {blamed(messages, side.every)}")
    return pins


def blamed(messages: str, wanted: Sequence[str]) -> str:
    """Return why requirements cannot be had together, with those that uv names."""
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
    """Return the next versions below and above one that does not exist."""
    try:
        Version(version)
    except InvalidVersion:
        return []
    below, _ = uv.compile([f"{name}<{version}"], python, "--no-deps")
    above, _ = uv.compile([f"{name}>{version}"], python, "--no-deps", "--resolution", "lowest-direct")
    return [pin.partition("==")[2] for pin in (*below, *above) if "==" in pin]


def packages(pins: Iterable[str]) -> Packages:
    """Package -> version or address, of pins."""
    return {name_of(pin): re.split(r"==| @ ", pin, maxsplit=1)[-1].split(";")[0].strip() for pin in pins}


def different(texts: Iterable[str], other: Iterable[str]) -> list[str]:
    """Return packages whose versions differ between two lists of pins."""
    old, new = packages(texts), packages(other)
    return sorted(name for name in old.keys() | new.keys() if old.get(name) != new.get(name))
