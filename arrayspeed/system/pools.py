"""Which BLAS and OpenMP a process has loaded, in which version and with how many threads.

Standard library only: `arrayspeed.own.worker` has a link to this file, and runs where nothing else is. threadpoolctl,
which is one file, finds what is loaded; it is taken from the tool's own environment, by its path.
"""

from __future__ import annotations

import os
import re
import sys

TYPE_CHECKING = False  # type checkers take it as true
if TYPE_CHECKING:
    from typing import Any

#: What is linked into a library and no file of its own, so that only the library itself tells: PyTorch's lines.
LINKED = (
    ("mkl", "blas", re.compile(r"Math Kernel Library Version (\S+?)(?:-Product)?\s")),
    ("onednn", "blas", re.compile(r"MKL-DNN v(\S+)")),
)

#: Folders in which packages lie.
PLACES = ("site-packages", "dist-packages")


def pools(path: str) -> list[dict[str, Any]] | None:
    """Return what this process has loaded; None where it cannot be told. ``path``: of threadpoolctl.py.

    Each has ``owner``, the package that brought it, ``api`` (blas or openmp), ``kind`` (openblas, mkl, …), ``version``,
    None where it has none, ``threads``, and ``file``, its name.
    """
    try:
        rows = [row_of(one) for one in threadpoolctl(path).threadpool_info()]
    except Exception:  # a Python too old for it, or a library that it misunderstands
        return None
    rows += linked()
    return sorted(rows, key=lambda row: (row["owner"], row["api"], row["kind"]))


def threadpoolctl(path: str) -> Any:
    """Return the module, without making it importable for the code that is measured."""
    import importlib.util

    spec = importlib.util.spec_from_file_location("_arrayspeed_threadpoolctl", path)
    assert spec is not None and spec.loader is not None  # of a file whose name ends with .py
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # its dataclasses look there
    try:
        spec.loader.exec_module(module)
    finally:
        del sys.modules[spec.name]
    return module


def row_of(one: dict[str, Any]) -> dict[str, Any]:
    """Return what threadpoolctl says of a library."""
    kind = one["prefix"] if one["internal_api"] == "openmp" else one["internal_api"]
    return {
        "owner": owner(one["filepath"]),
        "api": one["user_api"],
        "kind": kind,
        "version": one["version"],
        "threads": one["num_threads"],
        "file": os.path.basename(one["filepath"]),
    }


def owner(path: str) -> str:
    """Return the package in whose folder a file lies, ``numpy`` of numpy.libs; "system" where it is of none."""
    parts = path.replace("\\", "/").split("/")
    for place in PLACES:
        if place in parts[:-2]:
            return parts[parts.index(place) + 1].partition(".")[0]
    return "system"


def linked() -> list[dict[str, Any]]:
    """Return what is linked into PyTorch, where that is loaded."""
    torch = sys.modules.get("torch")
    try:
        text, threads = torch.__config__.show(), torch.get_num_threads()  # type: ignore[union-attr]
    except Exception:  # it is not loaded, or does not tell
        return []
    found = []
    for kind, api, pattern in LINKED:
        match = pattern.search(text)
        if match:
            row = {"owner": "torch", "api": api, "kind": kind, "version": match[1], "threads": threads, "file": ""}
            found.append(row)
    return found
