"""Two environments that differ in the version of one library, whether or not asv.conf.json lists them."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from arrayspeed.model.errors import UserError
from arrayspeed.model.libraries import bare
from kernels import LIBRARIES
from kernels.backends import COMPANION
from kernels.backends.table import distributions, library_of
from kernels.catalogue import choose

if TYPE_CHECKING:
    from asv.config import Config

#: Environments that differ in nothing but this are two copies of one.
COPY = "ARRAYSPEED_COPY"


def check_versions(library: str, *versions: str) -> None:
    """Whether a library and its versions are names at all.

    Raises
    ------
    UserError
        They are not; the message says what would be.
    """
    try:
        choose("library", library, LIBRARIES)
    except ValueError as error:
        raise UserError(str(error)) from error
    for version in versions:
        try:
            Version(version)
        except InvalidVersion as error:
            raise UserError(f"{version!r} is not a version of {library}: a version is, for example, 1.2.3") from error


def pair_config(config: Config, library: str, old: str, new: str, companions: Sequence[str] = ()) -> Config:
    """A copy of asv's configuration that lists two environments and nothing else: old first.

    The other requirements are those of the library's own environments in asv.conf.json, the same for both, unless
    ``companions`` (``numpy==2.0.2``) say otherwise. A companion that has the library's own version there, as jaxlib
    has that of JAX, goes with it.

    Raises
    ------
    UserError
        A companion is not one exact version of another package.
    """
    both = several(config, library, [old, new], companions)
    if old == new:
        both.include[1]["env_nobuild"] = {COPY: "2"}
    return both


def several(config: Config, library: str, versions: Iterable[str], companions: Sequence[str] = ()) -> Config:
    """As `pair_config`, an environment for each of some versions."""
    entry = template(config, library)
    key = next(name for name in entry["req"] if bare(name) == library)
    version = entry["req"][key]
    coupled = [
        name
        for name, value in entry["req"].items()
        if name == key or (value == version and bare(name) not in LIBRARIES)
    ]
    others = {name: value for name, value in entry["req"].items() if name not in coupled}
    others |= exact(library, companions)

    def included(value: str) -> dict[str, Any]:
        return {"python": entry["python"], "req": dict.fromkeys(coupled, value) | others}

    made = copy.copy(config)
    made.include = [included(version) for version in versions]
    return made


def template(config: Config, library: str) -> dict[str, Any]:
    """The last environment in asv.conf.json that is there to measure this library alone; else what would be one."""
    others = set(LIBRARIES) - {library, COMPANION}
    found: list[dict[str, Any]] = [
        entry for entry in config.include if library in (names := set(map(bare, entry["req"]))) and not names & others
    ]
    if found:
        return found[-1]
    companion = {} if library == COMPANION else {COMPANION: newest_companion(config)}
    return {"python": config.pythons[0], "req": {distributions(library)[0]: ""} | companion}


def newest_companion(config: Config) -> str:
    """The newest version in asv.conf.json of what every library needs, NumPy."""
    versions = [entry["req"][COMPANION] for entry in config.include if COMPANION in entry.get("req", {})]
    return max(versions, key=Version, default="")


def exact(library: str, companions: Iterable[str]) -> dict[str, str]:
    """Companions as asv's requirements.

    Raises
    ------
    UserError
        One is not an exact version, or names the library itself.
    """
    found = {}
    for text in companions:
        try:
            wanted = Requirement(text)
        except InvalidRequirement as error:
            raise UserError(f"--with {text!r} is not a requirement such as numpy==2.0.2") from error
        pins = [each.version for each in wanted.specifier if each.operator == "=="]
        if len(pins) != 1 or len(wanted.specifier) != 1:
            raise UserError(
                f"--with {text!r} leaves the version open, but both sides need the same one, such as numpy==2.0.2"
            )
        if library_of(canonicalize_name(wanted.name)) == library:
            raise UserError(f"--with {text!r}: {library} is the library being upgraded")
        found[wanted.name] = pins[0]
    return found


def packages_that_differ(
    library: str, old: dict[str, str], new: dict[str, str]
) -> dict[str, tuple[str | None, str | None]]:
    """Packages other than the library whose versions differ between two environments: name -> old and new, or None."""
    return {
        name: (old.get(name), new.get(name))
        for name in sorted(old.keys() | new.keys(), key=str.lower)
        if old.get(name) != new.get(name) and library_of(canonicalize_name(name)) != library
    }
