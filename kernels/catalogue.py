"""All kernels by name, collected from the families. Imports no array library."""

from __future__ import annotations

import difflib
from collections.abc import Collection
from dataclasses import replace
from importlib import import_module
from typing import Any

from kernels.backends import BACKENDS, DEVICES, Backend
from kernels.kernel import TIERS, Kernel

FAMILIES = (
    "elementwise",
    "reductions",
    "indexing",
    "linalg",
    "fft",
    "sorting",
    "calculus",
    "learning",
    "simulation",
    "loops",
    "ocean",
    "random",
    "vectorising",
    "parallel",
)

CATALOGUE: dict[str, Kernel] = {
    kernel.name: replace(kernel, family=family)
    for family in FAMILIES
    for kernel in import_module(f"kernels.{family}").KERNELS
}


def backends_of(kernel: Kernel, dtype: str | None = None) -> list[Backend]:
    """Return the backends that can do a kernel, in a precision where one is named, wherever their library
    is installed.
    """
    return [b for b in BACKENDS.values() if kernel.why_not(b.name, b.library, dtype=dtype) is None]


def in_tier(tier: str) -> list[str]:
    """Return the names of a tier's kernels, in the catalogue's order: those of each tier before it are in it too.

    Raises
    ------
    ValueError
        There is no such tier; the message says which there are.
    """
    choose("tier", tier, TIERS)
    wanted = TIERS[: TIERS.index(tier) + 1]
    return [kernel.name for kernel in CATALOGUE.values() if kernel.tier in wanted]


def dtypes() -> list[str]:
    """Return every precision that some kernel is measured in."""
    return list(dict.fromkeys(dtype for kernel in CATALOGUE.values() for dtype in kernel.dtypes))


def rows() -> list[dict[str, Any]]:
    """Return the catalogue as plain data: one entry a kernel and dtype."""
    return [
        {
            "kernel": kernel.name,
            "family": kernel.family,
            "summary": kernel.summary,
            "dtype": dtype,
            "sizes": list(kernel.sizes),
            "least": kernel.least,
            "tier": kernel.tier,
            "small": kernel.small,
            "large": kernel.large,
            "backends": [b.name for b in backends_of(kernel, dtype)],
            "devices": list(DEVICES),
            "unavailable": {
                b.name: why
                for b in BACKENDS.values()
                if (why := kernel.why_not(b.name, b.library, dtype=dtype)) is not None
            }
            | {key: why for key, why in kernel.unavailable.items() if "@" in key},
            "needs": {library: list(modules) for library, modules in kernel.needs.items()},
            "since": dict(kernel.since),
        }
        for kernel in CATALOGUE.values()
        for dtype in kernel.dtypes
    ]


def choose(kind: str, name: object, valid: Collection[str]) -> str:
    """``name`` where it is one of ``valid``; else ValueError, in one line, with what is valid."""
    if isinstance(name, str) and name in valid:
        return name
    close = difflib.get_close_matches(str(name), valid, n=1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    raise ValueError(f"unknown {kind} {name!r}.{hint} Valid: {', '.join(valid)}")
