"""Requirements of environments, as asv's matrix writes them."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Iterable, Mapping

from asv import util
from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name


def requirement(key: str, value: str) -> Requirement:
    """Read one entry of asv's matrix: ``"jax[cuda13]": "0.10.2"``, ``"pip+numpy": ">=2,<3"``, ``"numba": ""``.

    A value without an operator is an exact version.

    Raises
    ------
    asv.util.UserError
        It is not a package and versions of it.
    """
    entry = f'"{key}": "{value}"'
    if not isinstance(value, str):
        raise util.UserError(f"the version in the requirement {entry} must be in quotes in asv.conf.json")
    name, version = key.removeprefix("pip+").strip(), value.strip()
    if version and version[0] not in "<>=!~":
        version = f"=={version}"
    try:
        parsed = Requirement(name + version)
    except InvalidRequirement:
        parsed = None
    # An address would end up in the names of results, and a marker would leave out what the name promises.
    if parsed is None or parsed.url or parsed.marker:
        raise util.UserError(f"the requirement {entry} is not a package and its versions")
    return parsed


def requirements(matrix: Mapping[str, str]) -> list[Requirement]:
    """Return everything that an environment gets: its matrix entries, and the asv_runner that goes with this asv.

    asv_runner does the timing, so a newer one in newer environments would change numbers.

    Raises
    ------
    asv.util.UserError
        An entry is not a package and versions of it.
    """
    wanted = [requirement(key, value) for key, value in matrix.items()]
    if not any(canonicalize_name(each.name) == "asv-runner" for each in wanted):
        wanted.append(Requirement(f"asv_runner=={importlib.metadata.version('asv_runner')}"))
    return wanted


def satisfied(wanted: Iterable[Requirement], installed: Mapping[str, str]) -> bool:
    """Return whether the packages, ``{name: version}``, are what the requirements ask for."""
    versions = {canonicalize_name(name): version for name, version in installed.items()}
    pairs = ((each, versions.get(canonicalize_name(each.name))) for each in wanted)
    return all(version and each.specifier.contains(version, prereleases=True) for each, version in pairs)


def name_of(text: str) -> str:
    """Return the package of a requirement or a pin; the text itself where it is an address alone."""
    try:
        return canonicalize_name(Requirement(text).name)
    except InvalidRequirement:
        return text
