"""Which libraries a set of asv's requirements is there to measure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Protocol

from kernels import LIBRARIES
from kernels.backends import COMPANION
from kernels.backends.table import library_of


def bare(name: str) -> str:
    """Return the library, or other package, of one of asv's requirements: ``jax`` of ``pip+jax[cuda13]``."""
    return library_of(re.split(r"[\[ ]", name.removeprefix("pip+"))[0])


#: Python itself, which is compared as libraries are: with the same libraries in several versions of it.
PYTHON = "python"

#: The environment variable that says so of an environment: its libraries are all measured, and none is its companion.
SUBJECT = "ARRAYSPEED_SUBJECT"


class Held(Protocol):
    """An environment, or what results say of one."""

    @property
    def requirements(self) -> Mapping[str, str]:
        """Library -> version, with other packages."""

    @property
    def env_vars(self) -> Mapping[str, str]:
        """Its environment variables."""


def of_python(variables: Mapping[str, str] | None) -> bool:
    """Return whether an environment is there to compare Pythons, by its variables."""
    return (variables or {}).get(SUBJECT) == PYTHON


def compares_python(environment: str) -> bool:
    """Return whether an environment is there to compare Pythons, by its name."""
    return f"{SUBJECT}{PYTHON}" in environment


def held(env: Held) -> dict[str, str]:
    """As `subjects`, of an environment."""
    return subjects(env.requirements, env.env_vars)


def subjects(requirements: Mapping[str, str], variables: Mapping[str, str] = MappingProxyType({})) -> dict[str, str]:
    """Return the libraries that an environment is there to measure, with their versions.

    NumPy beside one other library is only its companion, unless Python is compared: measuring it there would repeat
    one number for every version of the other.
    """
    versions = {bare(name): value for name, value in requirements.items()}
    found = {name: version for name, version in versions.items() if name in LIBRARIES}
    if len(found) != 2 or of_python(variables):
        return found
    return {name: version for name, version in found.items() if name != COMPANION}
