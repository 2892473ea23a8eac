"""The releases of a project, and which of them can be installed here without a compiler."""

from __future__ import annotations

import functools
import sys
from bisect import bisect
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from packaging import tags
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import (
    InvalidSdistFilename,
    InvalidWheelFilename,
    canonicalize_name,
    parse_sdist_filename,
    parse_wheel_filename,
)
from packaging.version import InvalidVersion, Version

from arrayspeed.environments import interpreters
from arrayspeed.environments.index import File, files_of
from arrayspeed.environments.pythons import MINORS, span
from arrayspeed.environments.uv import Uv
from arrayspeed.model.errors import UserError

#: A version of Python: 3.11.
Python = tuple[int, int]

THIS_PYTHON: Python = sys.version_info[:2]


@dataclass(frozen=True)
class Release:
    """One release.

    Attributes
    ----------
    version
        As it is written.
    date
        Of its first file, 2026-01-31; None where the index does not say.
    wheels, here
        How many it has, and how many of them are for this platform and a Python that is asked about.
    source
        Whether it has an archive of its source.
    python
        Whether any of its files is for such a Python.
    pythons
        The Pythons, the oldest first, for which it has a wheel for this platform.
    yanked
        Why it was withdrawn; None where it was not.
    """

    version: str
    date: str | None
    wheels: int
    here: int
    source: bool
    python: bool = True
    pythons: tuple[str, ...] = ()
    yanked: str | None = None

    @property
    def early(self) -> bool:
        """Whether it is a pre-release, or a nightly build."""
        return Version(self.version).is_prerelease

    @property
    def obstacle(self) -> str:
        """Why it cannot be measured here; "" where it can."""
        if self.yanked is not None:
            return f"yanked: {self.yanked}" if self.yanked else "yanked"
        if self.here:
            return ""
        if self.pythons:
            return f"needs Python {span(self.pythons)}"
        if not self.python:
            return "not for this Python"
        return "no wheel for this platform and Python" if self.wheels else "no wheel"


def releases(
    project: str,
    say: Callable[[str], None],
    early: bool = False,
    pythons: Sequence[Python] = (THIS_PYTHON,),
    uv: Uv | None = None,
) -> list[Release]:
    """Return a project's releases, the oldest first.

    Parameters
    ----------
    project
        Its name.
    say
        Is told of an index that cannot be read.
    early
        Pre-releases and nightly builds too.
    pythons
        For which Pythons wheels have to be; one of them will do.
    uv
        What the index is asked with, where it is known already.

    Raises
    ------
    UserError
        The index does not have it, or no index can be read.
    """
    found = [one for one in of_files(project, files_of(project, say, uv), pythons) if early or not one.early]
    if not found:
        raise UserError(f"the index has no {'' if early else 'final '}release of {project}")
    return found


def of_files(project: str, files: Iterable[File], pythons: Sequence[Python] = (THIS_PYTHON,)) -> list[Release]:
    """Return the releases that files belong to, the oldest first; what is neither a wheel nor an archive of source is
    left out. Local versions (``2.0+cpu``) are files of their public one, as they are to requirements.
    """
    name = canonicalize_name(project)
    known: dict[Version, list[tuple[File, frozenset[tags.Tag] | None]]] = defaultdict(list)
    for file in files:
        try:
            if file.name.endswith(".whl"):
                of, version, _, fits = parse_wheel_filename(file.name)
            else:
                (of, version), fits = parse_sdist_filename(file.name), None
        except (InvalidWheelFilename, InvalidSdistFilename, InvalidVersion):
            continue
        if of == name:
            known[Version(version.public)].append((file, fits))
    return [release(version, known[version], pythons) for version in sorted(known)]


def release(
    version: Version, files: list[tuple[File, frozenset[tags.Tag] | None]], pythons: Sequence[Python]
) -> Release:
    """One release of its files."""
    kept = [(file, fits) for file, fits in files if file.yanked is None]
    yanked = None if kept else next((file.yanked for file, _ in files if file.yanked), "")
    wheels = [(file, fits) for file, fits in kept or files if fits is not None]
    dates = [file.uploaded[:10] for file, _ in files if file.uploaded]
    return Release(
        str(version),
        min(dates, default=None),
        len(wheels),
        sum(any(fits_in(file, fits, python) for python in pythons) for file, fits in wheels),
        any(fits is None for _, fits in kept or files),
        any(allows(file, python) for file, _ in files for python in pythons),
        tuple(name for name in MINORS if any(fits_in(file, fits, number(name)) for file, fits in wheels)),
        yanked,
    )


def fits_in(file: File, fits: frozenset[tags.Tag], python: Python) -> bool:
    """Return whether a wheel is for a Python on this platform, by its tags and by what the index says."""
    return bool(fits & tags_of(python)) and allows(file, python)


def number(name: str) -> Python:
    """(3, 13) of 3.13, and of 3.13t."""
    major, minor = name.rstrip("t").split(".")[:2]
    return int(major), int(minor)


def within_reach(asked: str | None = None) -> list[Python]:
    """Return the Pythons in which a release may be measured: the one asked for; else those of this machine, and where
    uv may fetch others all.
    """
    if asked is not None:
        return [number(asked)]
    names = MINORS if interpreters.may_fetch() else [one.name for one in interpreters.at_hand()]
    return sorted({number(name) for name in names})


def allows(file: File, python: Python) -> bool:
    """Return whether a file is for a Python, by what the index says; what cannot be read allows all, as pip
    takes it.
    """
    try:
        return SpecifierSet(file.python).contains(Version(f"{python[0]}.{python[1]}.99"))
    except InvalidSpecifier:
        return True


@functools.cache
def tags_of(python: Python) -> frozenset[tags.Tag]:
    """Return what wheels for a CPython on this platform are tagged with."""
    platforms = list(tags.platform_tags())
    known = tags.cpython_tags(python, platforms=platforms)
    return frozenset([*known, *tags.compatible_tags(python, f"cp{python[0]}{python[1]}", platforms)])


def between(project: str, every: list[Release], old: str, new: str) -> list[Release]:
    """Return the releases from one to another, both of them included.

    Raises
    ------
    UserError
        One does not exist, or they are not in this order.
    """
    first, last = (place_of(project, every, text) for text in (old, new))
    if first >= last:
        raise UserError(f"{project} {old} is not older than {new}: OLD comes first")
    return every[first : last + 1]


def place_of(project: str, every: list[Release], text: str) -> int:
    """Return which of some releases, the oldest first, a version is.

    Raises
    ------
    UserError
        None of them.
    """
    texts = [one.version for one in every]
    if text in texts:
        return texts.index(text)
    wanted = version_of(project, text)
    versions = list(map(Version, texts))
    if wanted in versions:
        return versions.index(wanted)
    after = bisect(versions, wanted)
    near = " and ".join(texts[max(0, after - 1) : after + 1])
    raise UserError(f"there is no {project} {text}; the nearest are {near}")


def pythons_at_hand() -> list[Release]:
    """Return the Pythons of this machine, as releases; pre-releases and free-threaded builds are asked for by name."""
    usable = {one.name for one in interpreters.at_hand() if not one.version.is_prerelease}
    return [Release(name, None, 1, 1, False, pythons=(name,)) for name in MINORS if name in usable]


def is_early(text: str) -> bool:
    """Return whether it is the version of a pre-release, or of a nightly build."""
    try:
        return Version(text).is_prerelease
    except InvalidVersion:
        return False


def version_of(project: str, text: str) -> Version:
    """Return a version.

    Raises
    ------
    UserError
        It is none.
    """
    try:
        return Version(text)
    except InvalidVersion as error:
        raise UserError(f"{text!r} is not a version of {project}: 1.2.3, say") from error
