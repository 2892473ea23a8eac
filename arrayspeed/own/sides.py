"""What is compared: each side's requirements, its interpreter, and its environment variables."""

from __future__ import annotations

import hashlib
import json
import re
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from arrayspeed.environments.interpreters import NAME, check
from arrayspeed.environments.listed import Release, pythons_at_hand
from arrayspeed.model.errors import UserError
from arrayspeed.model.libraries import PYTHON
from arrayspeed.model.text import printable

VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=.*", re.DOTALL)

#: Package -> the extra without which some of its releases do not run: early ones of JAX ask for jaxlib in it alone, and
#: without it they would seem to run on Pythons that jaxlib was never built for.
EXTRAS = {"jax": "cpu"}


@dataclass(frozen=True)
class Build:
    """A wheel that was built of a commit: a digest of what it does, and the modules that it brings."""

    content: str
    modules: tuple[str, ...] = ()


@dataclass(frozen=True)
class Side:
    """One side.

    Attributes
    ----------
    label
        What people call it; no two sides have the same.
    wanted
        Requirements that tell it from the others, as pip writes them.
    lock
        A file with all of its packages.
    python
        A version, ``3.13``, for which an environment is made; a path is used as it is; None for the usual one.
    variables
        Environment variables.
    function
        The function that it stands for, where sides are functions of one file.
    build
        What its own project was built of, where sides are commits or have a project.
    bare
        Requirements that are installed beside all others, without what they ask for.
    """

    label: str
    wanted: tuple[str, ...] = ()
    lock: Path | None = None
    python: str | None = None
    variables: tuple[tuple[str, str], ...] = ()
    function: str | None = None
    build: Build | None = None
    bare: tuple[str, ...] = ()

    @property
    def as_is(self) -> bool:
        """Whether its interpreter is used with what is installed there."""
        return self.python is not None and NAME.fullmatch(self.python) is None


@dataclass(frozen=True)
class Kind:
    """What a side may be a version of, besides a package: its name stands where a package's does.

    Attributes
    ----------
    side
        Version -> side; raises `UserError` where it is none.
    releases
        Those that can be measured here, the oldest first.
    """

    side: Callable[[str], Side]
    releases: Callable[[], list[Release]]


@dataclass(frozen=True)
class Ready:
    """A side whose environment is there.

    Attributes
    ----------
    side
        What was asked for.
    executable
        Its interpreter.
    packages
        Name -> version of everything that is installed.
    version
        The interpreter's.
    """

    side: Side
    executable: str
    packages: Mapping[str, str] = field(default_factory=dict)
    version: str = ""

    @property
    def label(self) -> str:
        """The side's."""
        return self.side.label

    @property
    def identity(self) -> str:
        """A digest of everything that may make it faster or slower than another: its packages, its variables."""
        known = [self.version, sorted(self.packages.items()), self.side.variables, self.side.as_is and self.executable]
        if self.side.build:  # commits may have one version
            known.append(self.side.build.content)
        return hashlib.sha256(json.dumps(known).encode()).hexdigest()[:16]


def of_versions(name: str, versions: Iterable[str]) -> list[Side]:
    """Return a package in several versions. A version that ends a comparison with itself is labelled apart.

    Raises
    ------
    UserError
        It is no name of a package, or these are no versions.
    """
    try:
        package = Requirement(name)
    except InvalidRequirement as error:
        raise UserError(f"{name!r} is not the name of a package") from error
    if package.specifier or package.url or package.marker:
        raise UserError(f"{name!r}: give the name of a package alone, its versions come after it")
    if not package.extras and package.name in EXTRAS:
        name = f"{package.name}[{EXTRAS[package.name]}]"
    found = []
    for version in versions:
        try:
            Version(version)
        except InvalidVersion as error:
            raise UserError(f"{version!r} is not a version of {package.name}: 1.2.3, say") from error
        found.append(Side(f"{package.name} {version}", (f"{name}=={version}",)))
    return found


def of_library(name: str, versions: Sequence[str], pythons: Sequence[str] = ()) -> list[Side]:
    """Return a package, or what else has versions, in several of them.

    Raises
    ------
    UserError
        It is no name of a package, or these are no versions, or Python is compared and given besides.
    """
    if name not in KINDS:
        return with_pythons(of_versions(name, versions), pythons)
    found = list(map(KINDS[name].side, versions))
    if pythons and any(each.python for each in found):
        raise UserError(f"--python {pythons[0]}: its versions are what is compared")
    return with_pythons(found, pythons)


def of_python(version: str) -> Side:
    """Return a version of Python.

    Raises
    ------
    UserError
        It is none.
    """
    check(version)
    return Side(f"Python {version}", python=version)


#: By what stands in place of a package's name. CONTRIBUTING.md says how one is added.
KINDS = {PYTHON: Kind(of_python, pythons_at_hand)}


def with_pythons(sides: Sequence[Side], pythons: Sequence[str]) -> list[Side]:
    """Return the sides with one interpreter for all of them, or with one each, which their labels then name.

    Raises
    ------
    UserError
        There are neither one nor as many as there are sides.
    """
    if len(pythons) > len(sides):
        raise UserError(f"--python takes one interpreter or two, not {len(pythons)}; give it last")
    if not pythons:
        return list(sides)
    if len(pythons) == 1:
        return [replace(one, python=pythons[0]) for one in sides]
    return [
        replace(one, python=python, label=" ".join(filter(None, [one.label, f"Python {python}"])))
        for one, python in zip(sides, pythons, strict=True)
    ]


def of_text(text: str) -> Side:
    """Return a side as ``--side`` writes it: requirements, then environment variables: ``jax==0.4.31 XLA_FLAGS=--x=1``.

    Raises
    ------
    UserError
        A word of it is neither.
    """
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise UserError(f"--side {text!r}: {error}") from error
    variables = [word for word in words if VARIABLE.fullmatch(word) and not word.partition("=")[2].startswith("=")]
    wanted = [word for word in words if word not in variables]
    made = Side(" ".join(words))
    for word in wanted:
        name, equals, version = word.partition("==")
        if equals and name in KINDS:
            made = together(made, KINDS[name].side(version))
            continue
        try:
            Requirement(word)
        except InvalidRequirement as error:
            raise UserError(f"--side {text!r}: {word!r} is neither a requirement nor NAME=VALUE") from error
        made = together(made, Side("", (word,)))
    if not words:
        raise UserError("--side '' says nothing: jax==0.4.31, say")
    return together(made, Side("", variables=variables_of(variables, "--side")))


def together(side: Side, more: Side) -> Side:
    """Return a side that asks for what another one does, too, and keeps its label."""
    variables = tuple(sorted({**dict(side.variables), **dict(more.variables)}.items()))
    return replace(side, wanted=side.wanted + more.wanted, python=more.python or side.python, variables=variables)


def variables_of(texts: Iterable[str], option: str) -> tuple[tuple[str, str], ...]:
    """Environment variables from ``NAME=VALUE``.

    Raises
    ------
    UserError
        One is something else.
    """
    found = {}
    for text in texts:
        if not VARIABLE.fullmatch(text) or "\0" in text:
            raise UserError(f"{option} {text!r} is not NAME=VALUE")
        name, _, value = text.partition("=")
        found[name] = value
    return tuple(sorted(found.items()))


def with_unique_labels(sides: Iterable[Side]) -> list[Side]:
    """Return the sides with labels of their own: what differs is added, and a number where nothing does."""
    sides = list(sides)
    labelled = []
    for one in sides:
        same = [other for other in sides if other.label == one.label]
        label = one.label
        if not label or len({other.variables for other in same}) > 1:
            text = " ".join(f"{name}={value}" for name, value in one.variables)
            label = " ".join(filter(None, [label, text])) or "as it is"
        labelled.append(replace(one, label=printable(label)))
    seen: dict[str, int] = {}
    found = []
    for one in labelled:
        seen[one.label] = seen.get(one.label, 0) + 1
        number = seen[one.label]
        found.append(replace(one, label=f"{one.label} (copy {number})") if number > 1 else one)
    return found


def names(requirements: Iterable[str]) -> set[str]:
    """Return the packages that requirements name."""
    return {canonicalize_name(Requirement(text).name) for text in requirements}
