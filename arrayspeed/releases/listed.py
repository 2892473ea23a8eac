"""The releases of a project, and which of them can be installed here without a compiler."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Iterable
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

from arrayspeed.model.errors import UserError
from arrayspeed.own.uv import Uv
from arrayspeed.releases.index import File, files_of

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
        How many it has, and how many of them are for this platform and Python.
    source
        Whether it has an archive of its source.
    python
        Whether any of its files is for this Python.
    yanked
        Why it was withdrawn; None where it was not.
    """

    version: str
    date: str | None
    wheels: int
    here: int
    source: bool
    python: bool = True
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
        if not self.python:
            return "not for this Python"
        return "no wheel for this platform and Python" if self.wheels else "no wheel"


def releases(
    project: str,
    say: Callable[[str], None],
    early: bool = False,
    python: Python = THIS_PYTHON,
    uv: Uv | None = None,
) -> list[Release]:
    """A project's releases, the oldest first.

    Parameters
    ----------
    project
        Its name.
    say
        Is told of an index that cannot be read.
    early
        Pre-releases and nightly builds too.
    python
        For which Python wheels have to be.
    uv
        What the index is asked with, where it is known already.

    Raises
    ------
    UserError
        The index does not have it, or no index can be read.
    """
    found = [one for one in of_files(project, files_of(project, say, uv), python) if early or not one.early]
    if not found:
        raise UserError(f"the index has no {'' if early else 'final '}release of {project}")
    return found


def of_files(project: str, files: Iterable[File], python: Python = THIS_PYTHON) -> list[Release]:
    """The releases that files belong to, the oldest first; what is neither a wheel nor an archive of source is left
    out. Local versions (``2.0+cpu``) are files of their public one, as they are to requirements.
    """
    fitting = frozenset(tags_of(python))
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
    return [release(version, known[version], fitting, python) for version in sorted(known)]


def release(
    version: Version, files: list[tuple[File, frozenset[tags.Tag] | None]], fitting: frozenset[tags.Tag], python: Python
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
        sum(bool(fits & fitting) and allows(file, python) for file, fits in wheels),
        any(fits is None for _, fits in kept or files),
        any(allows(file, python) for file, _ in files),
        yanked,
    )


def allows(file: File, python: Python) -> bool:
    """Whether a file is for a Python, by what the index says; what cannot be read allows all, as pip takes it."""
    try:
        return SpecifierSet(file.python).contains(Version(f"{python[0]}.{python[1]}.99"))
    except InvalidSpecifier:
        return True


def tags_of(python: Python) -> Iterable[tags.Tag]:
    """What wheels for a Python on this platform are tagged with."""
    if python == THIS_PYTHON:
        yield from tags.sys_tags()
        return
    platforms = list(tags.platform_tags())
    yield from tags.cpython_tags(python, platforms=platforms)
    yield from tags.compatible_tags(python, f"cp{python[0]}{python[1]}", platforms)


def between(project: str, every: list[Release], old: str, new: str) -> list[Release]:
    """The releases from one to another, both of them included.

    Raises
    ------
    UserError
        One does not exist, or they are not in this order.
    """
    versions = {Version(one.version): one for one in every}
    ends = [version_of(project, text) for text in (old, new)]
    for text, end in zip((old, new), ends, strict=True):
        if end not in versions:
            below = max((one for one in versions if one < end), default=None)
            above = min((one for one in versions if one > end), default=None)
            near = " and ".join(str(one) for one in (below, above) if one is not None)
            raise UserError(f"the index has no {project} {text}; the nearest are {near}")
    if ends[0] >= ends[1]:
        raise UserError(f"{project} {old} is not older than {new}: OLD comes first")
    return [one for version, one in sorted(versions.items()) if ends[0] <= version <= ends[1]]


def version_of(project: str, text: str) -> Version:
    """A version.

    Raises
    ------
    UserError
        It is none.
    """
    try:
        return Version(text)
    except InvalidVersion as error:
        raise UserError(f"{text!r} is not a version of {project}: 1.2.3, say") from error
