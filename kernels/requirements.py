"""What a kernel needs beside its library, asked without importing anything."""

from __future__ import annotations

import re
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

from kernels.kernel import Kernel


def unmet(kernel: Kernel, library: str) -> str | None:
    """Return why a kernel cannot run with what is installed beside a library, or None."""
    for module in kernel.needs.get(library, ()):
        if not importable(module):
            return f"it needs {module} beside {library}, and {module} is not installed"
    first, found = kernel.since.get(library), installed_version(library)
    if first and found and numbers(found) < numbers(first):
        return f"{library} has it from {first} on, and {found} is installed"
    return None


@lru_cache
def importable(module: str) -> bool:
    """Return whether a module can be imported; a part of a package is taken to be in it."""
    return find_spec(module.partition(".")[0]) is not None


@lru_cache
def installed_version(library: str) -> str | None:
    """Return a library's version, or None where it is installed under another name."""
    try:
        return version(library)
    except PackageNotFoundError:
        return None


def numbers(text: str) -> tuple[int, ...]:
    """Return a version's release as numbers, to compare: ``2.10.0rc1`` is (2, 10, 0)."""
    return tuple(map(int, re.findall(r"\d+", re.sub(r"[^\d.].*", "", text))))
