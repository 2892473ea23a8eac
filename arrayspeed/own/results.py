"""Whether two sides return the same: shapes and types alike, and numbers up to rounding."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

#: Relative differences up to this power of the rounding error of the type are rounding: 1.5e-8 of float64.
ROUNDING = {"f": 0.5, "c": 0.5}


#: Leaves that say what kind of container there is, and those that stand for objects, which `arrayspeed.own.across`
#: judges.
KIND, OBJECT = "kind", "object"


@dataclass(frozen=True)
class Compared:
    """The results of two sides.

    Attributes
    ----------
    same
        Whether they are; None where they were not compared.
    difference
        The largest relative difference: of a leaf, the largest difference of two numbers over the largest number.
    detail
        What differs or fails, or why they were not compared.
    failed
        Whether it is no result that differs, but a side that has none.
    """

    same: bool | None
    difference: float | None = None
    detail: str = ""
    failed: bool = False

    def data(self) -> dict[str, Any]:
        """As a record holds it."""
        return asdict(self)


@dataclass(frozen=True)
class Leaf:
    """One leaf of a result."""

    path: str
    dtype: str
    shape: tuple[int, ...]
    values: np.ndarray[Any, np.dtype[Any]] | str
    digest: str


def read(path: str | Path) -> list[Leaf]:
    """Return the leaves that a worker wrote."""
    with open(path, "rb") as file:
        rows = json.loads(file.readline())
        found = []
        for row in rows:
            data = file.read(row["bytes"])
            text = row["dtype"] in ("text", KIND, OBJECT)
            values = data.decode("utf-8", "replace") if text else np.frombuffer(data, np.dtype(row["dtype"]))
            found.append(Leaf(row["path"], row["dtype"], tuple(row["shape"]), values, row["digest"]))
    return found


def compare(reference: Mapping[str, Any], subject: Mapping[str, Any], tolerance: float | None = None) -> Compared:
    """Return what two workers said of their results (`arrayspeed.own.worker.measuring`).

    ``tolerance``: the relative difference that is allowed; None for what follows from the types.
    """
    both = reference.get("files") and subject.get("files")
    if not both and not are_unlike(reference, subject):
        return Compared(None, None, "")
    if reference["inputs"] != subject["inputs"]:
        return Compared(None, None, "the inputs differ between the sides")
    if not both:
        return Compared(False, None, f"{reference['container']} → {subject['container']}")
    for side in (reference, subject):
        if len(side["files"]) > 1:
            first, second = map(read, side["files"])
            again = leaves_compared(first, second, tolerance)
            if not again.same:
                return Compared(None, None, "two calls with the same arguments return different values")
    if reference["digest"] == subject["digest"]:
        return Compared(True, 0.0)
    return leaves_compared(read(reference["files"][0]), read(subject["files"][0]), tolerance)


def are_unlike(reference: Mapping[str, Any], subject: Mapping[str, Any]) -> bool:
    """Return whether two results are of other kinds, which tells even where one has too many parts to be compared, or
    parts of which nothing is known.
    """
    containers = {side.get("container") for side in (reference, subject)}
    return len(containers) == 2 and None not in containers


def leaves_compared(leaves: Sequence[Leaf], other: Sequence[Leaf], tolerance: float | None) -> Compared:
    """Return all leaves of two results; another kind of container is another result, whatever it holds."""
    kinds, others = map(kinds_of, (leaves, other))
    for path in (path for path in kinds if path in others):
        if kinds[path] != others[path]:
            return Compared(False, None, f"{path + ': ' if path else ''}{kinds[path]} → {others[path]}")
    leaves, other = ([leaf for leaf in each if leaf.dtype not in (KIND, OBJECT)] for each in (leaves, other))
    if [leaf.path for leaf in leaves] != [leaf.path for leaf in other]:
        return Compared(False, None, f"of other parts: {described(leaves)} → {described(other)}")
    differences = []
    for a, b in zip(leaves, other, strict=True):
        where = f"{a.path}: " if a.path else ""
        if a.shape != b.shape:
            return Compared(False, None, f"{where}shape {list(a.shape)} → {list(b.shape)}")
        if a.dtype != b.dtype:
            return Compared(False, None, f"{where}type {type_name(a.dtype)} → {type_name(b.dtype)}")
        if a.digest == b.digest:
            differences.append(0.0)
            continue
        if isinstance(a.values, str) or isinstance(b.values, str):
            return Compared(False, None, f"{where}{a.values[:40]!r} → {b.values[:40]!r}")
        found, exact = difference(a.values, b.values)
        allowed = limit(a.dtype, tolerance)
        differences.append(found)
        if not found <= allowed:
            unlike = int(np.count_nonzero(~((a.values == b.values) | (a.values != a.values) & (b.values != b.values))))
            counted = f"{unlike:,} of {a.values.size:,} numbers differ"
            return Compared(False, None if exact else found, where + counted)
    return Compared(True, max(differences, default=0.0))


def kinds_of(leaves: Sequence[Leaf]) -> dict[str, str]:
    """Return what is at each path: a kind of container, or one value."""
    found: dict[str, str] = {}
    for leaf in leaves:
        found.setdefault(leaf.path, str(leaf.values) if leaf.dtype == KIND else "one value")
    return found


def difference(array: np.ndarray[Any, np.dtype[Any]], other: np.ndarray[Any, np.dtype[Any]]) -> tuple[float, bool]:
    """Return the largest relative difference; infinite, and True, where it is no matter of degree: whole numbers, truth
    values, and what is infinite or no number on one side only.
    """
    if array.dtype.kind in "bui":
        return (0.0, False) if np.array_equal(array, other) else (float("inf"), True)
    wide = np.complex128 if array.dtype.kind == "c" else np.float64
    a, b = array.astype(wide), other.astype(wide)
    finite = np.isfinite(a)
    rest_a, rest_b = a[~finite], b[~np.isfinite(b)]
    if not np.array_equal(finite, np.isfinite(b)) or not np.array_equal(rest_a, rest_b, equal_nan=True):
        return float("inf"), True
    scale = float(np.abs(a[finite]).max(initial=0.0))
    apart = float(np.abs(a[finite] - b[finite]).max(initial=0.0))
    if not apart:
        return 0.0, False
    return (apart / scale, False) if scale else (float("inf"), True)


def limit(dtype: str, tolerance: float | None) -> float:
    """Return the relative difference that is rounding."""
    kind = np.dtype(dtype)
    if kind.kind not in ROUNDING:
        return 0.0
    return float(np.finfo(kind).eps ** ROUNDING[kind.kind]) if tolerance is None else tolerance


def type_name(dtype: str) -> str:
    """Return a type as people write it."""
    return "text" if dtype == "text" else np.dtype(dtype).name


def described(leaves: Sequence[Leaf]) -> str:
    """Return a result in a few words."""
    texts = [f"{leaf.path or 'one'} {type_name(leaf.dtype)}{list(leaf.shape) or ''}" for leaf in leaves[:3]]
    return ", ".join(texts) + (" …" if len(leaves) > 3 else "")
