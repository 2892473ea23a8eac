"""Whether the matrix of asv.conf.json holds the releases that belong there, and the lines that it should hold.

The rule is in matrix.toml. The lines of one library share one Python, so that a difference has one cause; and so do all
lines, where one Python has wheels of everything. What cannot be installed together with the other packages of its line
is left out.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

from arrayspeed.environments.failures import why
from arrayspeed.environments.listed import Release, number, releases
from arrayspeed.environments.pythons import AT_ONCE, MINORS, WHEELS, fits, minor, shared, supporting
from arrayspeed.environments.requirements import requirements
from arrayspeed.environments.uv import Uv
from arrayspeed.model.errors import UserError
from arrayspeed.model.libraries import bare, of_python, subjects
from arrayspeed.upgrades.pair import coupled

#: One environment, as asv.conf.json lists it.
Entry = dict[str, Any]

#: A project's releases by its name, an index's answer.
Ask = Callable[[str], Sequence[Release]]


@dataclass(frozen=True)
class Rule:
    """What belongs in the matrix: see matrix.toml."""

    years: float
    anchors: Mapping[str, Sequence[str]]

    @classmethod
    def read(cls) -> Rule:
        """Return the rule of this project."""
        data = tomllib.loads(Path(__file__).with_name("matrix.toml").read_text(encoding="utf-8"))
        return cls(data["years"], data["anchors"])

    def holds(self, library: str, known: Sequence[Release], today: date) -> list[str]:
        """Return the versions of a library that belong there, the oldest first."""
        since = (today - timedelta(days=365.25 * self.years)).isoformat()
        last: dict[tuple[int, ...], Release] = {}
        for one in known:
            if not one.early and one.yanked is None and one.pythons:
                last[Version(one.version).release[:2]] = one
        recent = {one.version for one in last.values() if one.date is None or one.date >= since}
        named = {one.version for one in known} & set(self.anchors.get(library, ()))
        return sorted(recent | named, key=Version)


@dataclass(frozen=True)
class Group:
    """Lines of asv.conf.json that stand together: the releases of one library, or the newest ones of several.

    Attributes
    ----------
    first
        The number of the first line, from 0.
    entries
        What the lines hold.
    """

    first: int
    entries: Sequence[Entry]

    @property
    def library(self) -> str | None:
        """The library whose releases these are; None where each line holds several, or they are there for Python."""
        held = {name for entry in self.entries for name in subjects(entry["req"], entry.get("env_nobuild") or {})}
        return next(iter(held)) if len(held) == 1 else None

    @property
    def of_python(self) -> bool:
        """Whether these lines are there to compare Pythons."""
        return all(of_python(entry.get("env_nobuild")) for entry in self.entries)


@dataclass
class Library:
    """One library's lines beside the index.

    Attributes
    ----------
    name
        The library's.
    lines
        The versions that are there.
    holds
        Those that should be there, and can be installed.
    newest
        The newest final release of the index.
    left_out
        Version -> why it belongs there and cannot be.
    """

    name: str
    lines: Sequence[str]
    holds: Sequence[str]
    newest: Release
    left_out: dict[str, str] = field(default_factory=dict)

    @property
    def missing(self) -> list[str]:
        """What should be there and is not."""
        return [version for version in self.holds if version not in self.lines]

    @property
    def dropped(self) -> list[str]:
        """What is there and need not be."""
        return [version for version in self.lines if version not in self.holds]


@dataclass(frozen=True)
class Matrix:
    """The matrix as it is and as it should be.

    Attributes
    ----------
    libraries
        Each library's lines beside the index.
    newest
        Package -> its version in the environment of newest releases, and the one that it should have.
    pythons
        The Python of the lines, and the one that they should have, by library.
    text
        asv.conf.json as it should be.
    """

    libraries: Sequence[Library]
    newest: Mapping[str, tuple[str, str]]
    pythons: Mapping[str, tuple[str, str]]
    text: str


def groups(text: str) -> list[Group]:
    """Return the groups of entries, each of which is a line of its own.

    Raises
    ------
    UserError
        An entry is no line.
    """
    found: list[tuple[int, list[Entry]]] = []
    last = -2
    for number_, line in enumerate(text.splitlines()):
        if not line.strip().startswith('{"python"'):
            continue
        try:
            entry = json.loads(line.strip().removesuffix(","))
        except ValueError as error:
            raise UserError(f"asv.conf.json:{number_ + 1}: an environment has to be written in one line") from error
        if number_ != last + 1:
            found.append((number_, []))
        found[-1][1].append(entry)
        last = number_
    return [Group(first, entries) for first, entries in found]


def matrix(text: str, ask: Ask, uv: Uv, rule: Rule, today: date) -> Matrix:
    """Return the matrix of a configuration beside the index.

    Parameters
    ----------
    text
        asv.conf.json.
    ask
        Gives a project's releases.
    uv
        Says what can be installed.
    rule
        What belongs there.
    today
        From which years are counted.

    Raises
    ------
    UserError
        The configuration has a form that cannot be updated, or the index cannot be read.
    """
    every = groups(text)
    of_libraries = [group for group in every if group.library]
    libraries, entries = [], {}
    for group in of_libraries:
        name = str(group.library)
        known = ask(project(group.entries[-1], name))
        lines = [version_of(entry, name) for entry in group.entries]
        wanted = {version: with_version(group, name, version) for version in rule.holds(name, known, today)}
        final = [one for one in known if not one.early and one.yanked is None]
        libraries.append(Library(name, lines, [], final[-1] if final else known[-1]))
        entries[name] = wanted
    pythons = pythons_of(uv, {group.library: group for group in of_libraries}, entries)
    lines_of: dict[int, list[Entry]] = {}
    for group, library in zip(of_libraries, libraries, strict=True):
        python = pythons[library.name]
        every_line = entries[library.name]
        with ThreadPoolExecutor(AT_ONCE) as pool:
            fitting = list(
                pool.map(lambda entry, python=python: fits(uv, texts(entry), python, *WHEELS), every_line.values())
            )
        able = {
            version: entry | {"python": python}
            for (version, entry), fit in zip(every_line.items(), fitting, strict=True)
            if fit
        }
        library.holds = list(able)
        unable = [version for version in entries[library.name] if version not in able]
        library.left_out = dict.fromkeys(unable, f"cannot be installed with Python {python}")
        lines_of[group.first] = list(able.values()) or list(group.entries)
    newest = {}
    common = max(pythons.values(), key=minor, default="")
    for group in every:
        if group.library is None and not group.of_python:
            lines_of[group.first] = [together(uv, entry, common) for entry in group.entries]
            (before,), (after,) = group.entries[:1], lines_of[group.first][:1]
            newest = {name: (version, after["req"][name]) for name, version in before["req"].items()}
    old = {str(group.library): group.entries[-1]["python"] for group in of_libraries}
    return Matrix(
        libraries, newest, {name: (old[name], pythons[name]) for name in old}, rewritten(text, every, lines_of)
    )


def project(entry: Entry, library: str) -> str:
    """Return what the index calls a library."""
    key: str = next(name for name in entry["req"] if bare(name) == library)
    return key.removeprefix("pip+").split("[")[0].strip()


def version_of(entry: Entry, library: str) -> str:
    """Return the version of a library in an environment."""
    return next(str(version) for name, version in entry["req"].items() if bare(name) == library)


def with_version(group: Group, library: str, version: str) -> Entry:
    """Return the line of a version: the one that is there, or the last one with this version, which a companion of the
    same version as the library shares (jaxlib, mlx-cpu).
    """
    for entry in group.entries:
        if version_of(entry, library) == version:
            return dict(entry)
    last = group.entries[-1]
    return last | {"req": last["req"] | dict.fromkeys(coupled(last, library), version)}


def texts(entry: Entry) -> list[str]:
    """Return an environment's requirements, as pip writes them."""
    return [str(each) for each in requirements(entry["req"])]


def pythons_of(uv: Uv, of: Mapping[str | None, Group], entries: Mapping[str, Mapping[str, Entry]]) -> dict[str, str]:
    """Return the Python of each library's lines: one for all where one has everything; else one for each library in
    which its newest release can be installed, and as many of the earlier ones as can be.
    """
    current = {name: group.entries[-1]["python"] for name, group in of.items() if name}
    least = min(current.values(), key=minor)
    if len(set(current.values())) == 1 and all(
        fits(uv, texts(entry), current[name], *WHEELS)
        for name, every in entries.items()
        for entry in list(every.values())[-1:]
    ):
        return current
    # Pythons come and go in their order, so that the oldest and the newest release say it for all between.
    able = {
        name: [found for entry in ends(every) if (found := supporting(uv, texts(entry), SpecifierSet(f">={least}")))]
        for name, every in entries.items()
    }
    together = shared(each for every in able.values() for each in every)
    chosen = {}
    for name, every in able.items():
        common = together or as_many(every)
        chosen[name] = nearest(common, current[name]) if common else current[name]
    return chosen


def ends(every: Mapping[str, Entry]) -> list[Entry]:
    """Return the oldest and the newest of some lines."""
    lines = list(every.values())
    return [*lines[:1], *lines[1:][-1:]]


def as_many(able: Sequence[Sequence[str]]) -> list[str]:
    """Return the Pythons that the newest release has, and as many of the earlier ones as can be."""
    common = list(MINORS)
    for names in reversed(able):
        common = shared([common, names]) or common
    return common


def nearest(names: Sequence[str], current: str) -> str:
    """Return the present Python where it will do; else the next newer one, else the newest."""
    newer = [name for name in names if minor(name) >= minor(current)]
    return newer[0] if newer else names[-1]


def together(uv: Uv, entry: Entry, python: str) -> Entry:
    """Return an environment with the newest release of everything in it, as far as they can be installed together.

    Raises
    ------
    UserError
        They cannot be.
    """
    names = [name.removeprefix("pip+") for name in entry["req"]]
    pins, messages = uv.compile(names, python, "--only-binary", ":all:")
    if not pins:
        raise UserError(f"{', '.join(names)} cannot be installed together with Python {python}: {why(messages)}")
    versions = dict(pin.split(";")[0].strip().split("==") for pin in pins if "==" in pin)
    found = {canonicalize_name(name): version for name, version in versions.items()}
    return entry | {
        "python": python,
        "req": {name: found[canonicalize_name(name.removeprefix("pip+").split("[")[0])] for name in entry["req"]},
    }


def rewritten(text: str, every: Sequence[Group], lines_of: Mapping[int, Sequence[Entry]]) -> str:
    """Return the configuration with other lines in some groups; everything else stays as it is."""
    lines = text.splitlines(keepends=True)
    for group in sorted(every, key=lambda item: item.first, reverse=True):
        if group.first not in lines_of:
            continue
        end = group.first + len(group.entries)
        first, last = lines[group.first], lines[end - 1]
        margin = first[: len(first) - len(first.lstrip())]
        new = [f"{margin}{json.dumps(entry)},\n" for entry in lines_of[group.first]]
        if not last.rstrip().endswith(","):
            new[-1] = new[-1].replace(",\n", "\n")
        lines[group.first : end] = new
    return "".join(lines)


def asking(say: Callable[[str], None], uv: Uv) -> Ask:
    """Return what asks the configured index for a project's final releases, whichever Python they are for."""
    pythons = [number(name) for name in MINORS]
    return lambda name: releases(name, say, pythons=pythons, uv=uv)
