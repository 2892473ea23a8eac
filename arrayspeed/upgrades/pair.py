"""Two environments that differ in the version of one library, whether or not asv.conf.json lists them."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from arrayspeed.environments import interpreters, pythons
from arrayspeed.environments.plugin import wheels
from arrayspeed.environments.requirements import name_of, requirements
from arrayspeed.environments.resolve import Requested, resolve
from arrayspeed.environments.uv import Uv
from arrayspeed.model.errors import UserError
from arrayspeed.model.libraries import PYTHON, SUBJECT, bare, of_python
from kernels import LIBRARIES
from kernels.backends import COMPANION
from kernels.backends.table import distributions, library_of
from kernels.catalogue import choose

if TYPE_CHECKING:
    from asv.config import Config

#: Environments that differ in nothing but this are two copies of one.
COPY = "ARRAYSPEED_COPY"


def check_versions(library: str, *versions: str) -> None:
    """Whether a library, or Python, and its versions are names at all.

    Raises
    ------
    UserError
        They are not; the message says what would be.
    """
    try:
        choose("library", library, [*LIBRARIES, PYTHON])
    except ValueError as error:
        raise UserError(str(error)) from error
    for version in versions:
        if library == PYTHON:
            interpreters.check(version)
            continue
        try:
            Version(version)
        except InvalidVersion as error:
            raise UserError(f"{version!r} is not a version of {library}: a version is, for example, 1.2.3") from error


def pair_config(
    config: Config,
    library: str,
    old: str,
    new: str,
    companions: Sequence[str] = (),
    pythons: Sequence[str] = (),
) -> Config:
    """Return a copy of asv's configuration that lists two environments and nothing else: old first.

    The other requirements are those of the library's own environments in asv.conf.json, the same for both, unless
    ``companions`` (``numpy==2.0.2``) say otherwise. A companion that has the library's own version there, as jaxlib
    has that of JAX, goes with it. ``pythons``: the Python of each.

    Raises
    ------
    UserError
        A companion is no requirement, or names the library.
    """
    both = several(config, library, [old, new], companions, pythons)
    if both.include[0] == both.include[1]:
        both.include[1]["env_nobuild"] = both.include[1].get("env_nobuild", {}) | {COPY: "2"}
    return both


def several(
    config: Config,
    library: str,
    versions: Sequence[str],
    companions: Sequence[str] = (),
    pythons: Sequence[str] = (),
) -> Config:
    """As `pair_config`, an environment for each of some versions; of Python with the same libraries in all."""
    entry = template(config, library)
    made = copy.copy(config)
    if library == PYTHON:
        same = {"req": entry["req"] | exact(library, companions), "env_nobuild": {SUBJECT: PYTHON}}
        made.include = [{"python": version} | copy.deepcopy(same) for version in versions]
        return made
    changing = coupled(entry, library)
    others = {name: value for name, value in entry["req"].items() if name not in changing}
    others |= exact(library, companions)
    given = pythons or [entry["python"]] * len(versions)
    made.include = [
        {"python": python, "req": dict.fromkeys(changing, value) | others}
        for value, python in zip(versions, given, strict=True)
    ]
    return made


def coupled(entry: Mapping[str, Any], library: str) -> list[str]:
    """Return the packages of an environment that have the library's version: itself, and jaxlib with JAX."""
    requirements: dict[str, str] = entry["req"]
    version = next(value for name, value in requirements.items() if bare(name) == library)
    return [
        name
        for name, value in requirements.items()
        if bare(name) == library or (value == version and bare(name) not in LIBRARIES)
    ]


def pythons_of(
    config: Config,
    library: str,
    versions: Sequence[str],
    companions: Sequence[str],
    say: Callable[[str], None],
    asked: Sequence[str] = (),
) -> list[str]:
    """Return the Python of each environment: those asked for; else that of the library's own environments, if all can
    be installed in it, or the newest in which all can (`arrayspeed.environments.pythons`).

    Raises
    ------
    UserError
        One is no version, or no Python can do it, or it cannot be had.
    """
    if library == PYTHON:
        if asked:
            raise UserError(f"--python {asked[0]}: its versions are what is compared")
        return [interpreters.get(version, say).name for version in versions]
    if len(asked) > len(versions):
        raise UserError(f"--python takes one version or {len(versions)}, not {len(asked)}; give it last")
    for each in asked:
        interpreters.check(each)
        interpreters.get(each, say)
    if asked:
        return list(asked) if len(asked) > 1 else [asked[0]] * len(versions)
    made = several(config, library, versions, companions)
    first = interpreters.find(made.include[0]["python"]) or interpreters.this()
    wanted = requirements_of(config, library, versions, companions)
    chosen = pythons.choose(wanted, Uv(wheels(config.env_dir)), say, first=first)
    return [chosen.name] * len(versions)


def settled(
    config: Config,
    library: str,
    versions: Sequence[str],
    companions: Sequence[str],
    say: Callable[[str], None],
    asked: Sequence[str] = (),
) -> tuple[list[str], list[str]]:
    """Return the Python of each version, and the companions of all in one exact version each.

    Raises
    ------
    UserError
        As `pythons_of` and `aligned`.
    """
    for text in companions:
        companion(library, text)
    pythons = pythons_of(config, library, versions, companions, say, asked)
    return pythons, aligned(config, library, versions, companions, pythons)


def aligned(
    config: Config, library: str, versions: Sequence[str], companions: Sequence[str], pythons: Sequence[str]
) -> list[str]:
    """Return companions in one exact version for all sides: of a range, the newest that every side allows.

    Raises
    ------
    UserError
        There is none.
    """
    if all(pinned(text) for text in companions):
        return list(companions)
    uv = Uv(wheels(config.env_dir))
    sides = [
        Requested(label, (), tuple(wanted))
        for label, wanted in requirements_of(config, library, versions, companions).items()
    ]
    programs = [interpreters.get(python, lambda text: None).path for python in pythons]
    pins = [{name_of(pin): pin for pin in each} for each in resolve(uv, sides, programs)]
    exact = []
    for text in companions:
        versions_of = {each[name_of(text)] for each in pins}
        if len(versions_of) > 1:
            raise UserError(f"--with {text!r}: no version of it goes with all of {library} {', '.join(versions)}")
        exact.append(versions_of.pop())
    return exact


def requirements_of(
    config: Config, library: str, versions: Sequence[str], companions: Sequence[str]
) -> dict[str, list[str]]:
    """Return what the environment of each version holds, as pip writes it."""
    made = several(config, library, versions, companions)
    return {
        f"{library} {version}": [str(each) for each in requirements(entry["req"])]
        for version, entry in zip(versions, made.include, strict=True)
    }


def template(config: Config, library: str) -> dict[str, Any]:
    """Return the last environment in asv.conf.json that is there to measure this library alone; else what
    would be one.
    """
    of_pythons = [entry for entry in config.include if of_python(entry.get("env_nobuild"))]
    if library == PYTHON:
        if not of_pythons:
            raise UserError(f'asv.conf.json lists no environment with "env_nobuild": {{"{SUBJECT}": "{PYTHON}"}}')
        last: dict[str, Any] = of_pythons[-1]
        return last
    others = set(LIBRARIES) - {library, COMPANION}
    found: list[dict[str, Any]] = [
        entry
        for entry in config.include
        if entry not in of_pythons and library in (names := set(map(bare, entry["req"]))) and not names & others
    ]
    if found:
        return found[-1]
    companion = {} if library == COMPANION else {COMPANION: newest_companion(config)}
    return {"python": config.pythons[0], "req": {distributions(library)[0]: ""} | companion}


def newest_companion(config: Config) -> str:
    """Return the newest version in asv.conf.json of what every library needs, NumPy."""
    versions = [entry["req"][COMPANION] for entry in config.include if COMPANION in entry.get("req", {})]
    return max(versions, key=Version, default="")


def exact(library: str, companions: Iterable[str]) -> dict[str, str]:
    """Return companions as asv's requirements, of which exact versions are bare.

    Raises
    ------
    UserError
        One is no requirement, or names the library itself.
    """
    wanted = [companion(library, text) for text in companions]
    return {each.name: pinned(str(each)) or str(each.specifier) for each in wanted}


def companion(library: str, text: str) -> Requirement:
    """Return a further requirement of all sides.

    Raises
    ------
    UserError
        It is none that asv.conf.json could hold, or names the library itself.
    """
    try:
        wanted = Requirement(text)
    except InvalidRequirement as error:
        raise UserError(
            f"--with {text!r} is not a requirement such as numpy==2.0.2; of several, each has a --with"
        ) from error
    if wanted.url or wanted.marker:
        raise UserError(f"--with {text!r} is not a package and its versions, such as numpy==2.0.2")
    if library_of(canonicalize_name(wanted.name)) == library:
        raise UserError(f"--with {text!r}: {library} is the library being upgraded")
    return wanted


def pinned(text: str) -> str:
    """Return the exact version of a requirement; "" where it leaves that open."""
    specifier = Requirement(text).specifier
    pins = [each.version for each in specifier if each.operator == "=="]
    return pins[0] if len(pins) == len(specifier) == 1 and not pins[0].endswith(".*") else ""


def packages_that_differ(
    library: str, packages: Sequence[Mapping[str, str]], pythons: Sequence[str]
) -> dict[str, tuple[str | None, str | None]]:
    """Return what differs between two environments besides the library, of the packages and the Python of each: name ->
    old and new version, or None.
    """
    old, new = packages
    differ: dict[str, tuple[str | None, str | None]] = {
        name: (old.get(name), new.get(name))
        for name in sorted(old.keys() | new.keys(), key=str.lower)
        if old.get(name) != new.get(name) and library_of(canonicalize_name(name)) != library
    }
    before, after = pythons
    return differ if library == PYTHON or before == after else {"Python": (before, after)} | differ
