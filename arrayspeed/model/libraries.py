"""Which libraries a set of asv's requirements is there to measure."""

from __future__ import annotations

import re
from collections.abc import Mapping

from kernels import LIBRARIES
from kernels.backends import COMPANION
from kernels.backends.table import library_of


def bare(name: str) -> str:
    """The library, or other package, of one of asv's requirements: ``jax`` of ``pip+jax[cuda13]``."""
    return library_of(re.split(r"[\[ ]", name.removeprefix("pip+"))[0])


def subjects(requirements: Mapping[str, str]) -> dict[str, str]:
    """The libraries that an environment is there to measure, with their versions.

    NumPy beside one other library is only its companion: measuring it there would repeat one number for every
    version of the other.
    """
    versions = {bare(name): value for name, value in requirements.items()}
    found = {name: version for name, version in versions.items() if name in LIBRARIES}
    return {name: version for name, version in found.items() if name != COMPANION} if len(found) == 2 else found
