"""What a kernel needs beside its library, asked without importing anything."""

from __future__ import annotations

import dis
import re
from collections.abc import Callable
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Any

from kernels.kernel import Kernel


def unmet(kernel: Kernel, library: str) -> str | None:
    """Return why a kernel cannot run with what is installed beside a library, or None."""
    for module in kernel.needs.get(library, ()):
        if not importable(module):
            return f"it needs {module} beside {library}, and {module} is not installed"
    for module in imported(kernel.reference):
        if not importable(module):
            return f"its reference needs {module}, which is not installed"
    first, found = kernel.since.get(library), installed_version(library)
    if first and found and numbers(found) < numbers(first):
        return f"{library} has it from {first} on, and {found} is installed"
    return None


def imported(function: Callable[..., Any]) -> list[str]:
    """Return the modules that a function itself imports when it is called; none of one that is not Python."""
    code = getattr(function, "__code__", None)
    return [each.argval for each in dis.get_instructions(code) if each.opname == "IMPORT_NAME"] if code else []


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
