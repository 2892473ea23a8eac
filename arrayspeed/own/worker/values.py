"""What a call returned: its leaves, a digest, and numbers in a file that another process compares."""

from __future__ import annotations

import array
import dataclasses
import hashlib
import json
import numbers
import struct
import sys
from collections.abc import ItemsView, KeysView, Mapping, ValuesView

from .finishing import Finished

TYPE_CHECKING = False  # type checkers take it as true
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType
    from typing import Any

    #: A leaf: dtype, shape, bytes, digest.
    Plain = tuple[str, list[int], bytes, str]

    #: All leaves of a value, each with its path before the rest.
    Shot = list[tuple[str, str, list[int], bytes, str]]

#: Numbers of a leaf that are written; of a larger one, evenly spaced ones are.
MOST = 2**20

#: Leaves of a result; what has more is not compared.
MOST_LEAVES = 10_000


#: What stands for the kind of what is no container.
ONE = "one value"

#: The type of a row that says what kind of container is there, and of one that stands for an object whose class alone
#: can compare it.
KIND, OBJECT = "kind", "object"


class Unknown(Exception):
    """A result that cannot be compared: of a class that nothing is known of, or of too many parts."""


class Kind:
    """What kind of container there is, as a leaf of its own: another one is another result, whatever it holds."""

    def __init__(self, name: str) -> None:
        self.name = name


def kind_of(value: Any) -> str | None:
    """Return what people call a container; None of what is none."""
    for plain in (dict, list, tuple, set, frozenset):
        if isinstance(value, plain):
            return plain.__name__
    if isinstance(value, Finished):
        inner = kind_of(value.value)
        return value.kind if inner in (None, "list") else f"{value.kind} of {inner}"
    if isinstance(value, (Mapping, KeysView, ValuesView, ItemsView)) or (
        dataclasses.is_dataclass(value) and not isinstance(value, type) and not hasattr(value, "__array__")
    ):
        return type(value).__name__
    return None


def leaves(value: object) -> list[tuple[str, Any]]:
    """Path and value of each leaf: containers and dataclasses are looked into, and pytrees of JAX. What kind each
    container is comes before its leaves.
    """
    found: list[tuple[str, Any]] = []
    kinds = 0

    def visit(value: Any, path: str) -> None:
        nonlocal kinds
        if len(found) - kinds >= MOST_LEAVES:
            raise Unknown(f"it has more than {MOST_LEAVES:,} parts")
        kind = kind_of(value)
        if kind is None:
            found.append((path, value))
            return
        found.append((path, Kind(kind)))
        kinds += 1
        while isinstance(value, Finished):
            value = value.value
        if kind_of(value) is None:
            found.append((path, value))
        elif isinstance(value, Mapping):
            for key in sorted(value, key=repr):
                visit(value[key], path + f"[{key!r}]")
        elif isinstance(value, (set, frozenset, KeysView)):
            visit(sorted(map(repr, value)), path)
        elif isinstance(value, (list, tuple, ValuesView, ItemsView)):
            items = value if isinstance(value, (list, tuple)) else list(value)
            if len(items) > 32 and all(type(each) in (int, float, complex, bool) for each in items):
                found.append((path, items))
            else:
                for place, each in enumerate(items):
                    visit(each, path + f"[{place}]")
        else:
            for field in dataclasses.fields(value):
                visit(getattr(value, field.name), path + "." + field.name)

    visit(value, "")
    return found


def plain(path: str, value: Any, most: int = MOST) -> Plain:
    """Return a leaf as ``(dtype, shape, bytes, digest)``: numbers as they lie in memory, anything else as text. Of an
    array, the bytes are those of ``most`` numbers at most.

    Raises
    ------
    Unknown
        It is of a class that nothing is known of.
    """
    if isinstance(value, Kind):
        return KIND, *of_text(value.name)[1:]
    if value is None or isinstance(value, (str, bytes, range)):
        return of_text(repr(value))
    if isinstance(value, bool):
        return of_numbers("|b1", [], struct.pack("?", value))
    if isinstance(value, int):
        fits = -(2**63) <= value < 2**63
        return of_numbers("<i8", [], struct.pack("<q", value)) if fits else of_text(repr(value))
    if isinstance(value, float):
        return of_numbers("<f8", [], struct.pack("<d", value))
    if isinstance(value, complex):
        return of_numbers("<c16", [], struct.pack("<dd", value.real, value.imag))
    if isinstance(value, (list, tuple)):
        return of_list(value)
    numpy = sys.modules.get("numpy") or try_numpy()
    if numpy is not None:
        return of_array(numpy, path, value, most)
    if isinstance(value, (array.array, bytearray, memoryview)):
        view = memoryview(value)
        return of_list(view.tolist())
    if isinstance(value, numbers.Number):
        return of_text(repr(value))
    if hasattr(value, "tolist"):
        return plain(path, value.tolist())
    raise Unknown("{} is of class {}".format(path or "it", type(value).__name__))


def try_numpy() -> ModuleType | None:
    """NumPy, where the environment has it."""
    try:
        import numpy
    except ImportError:
        return None
    return numpy


def of_text(text: str) -> Plain:
    """Anything that has an exact representation."""
    data = text.encode("utf-8", "replace")
    return "text", [], data[:1000], hashlib.blake2b(data, digest_size=16).hexdigest()


def of_numbers(dtype: str, shape: list[int], data: bytes) -> Plain:
    """Numbers as they lie in memory."""
    return dtype, shape, data, hashlib.blake2b(data, digest_size=16).hexdigest()


def of_list(value: Sequence[Any]) -> Plain:
    """Return a flat list of Python's numbers."""
    if all(type(each) is bool for each in value):
        return of_numbers("|b1", [len(value)], bytes(value))
    if any(type(each) is complex for each in value):
        flat = [part for each in value for part in (complex(each).real, complex(each).imag)]
        return of_numbers("<c16", [len(value)], array.array("d", flat).tobytes())
    if all(isinstance(each, int) for each in value):
        try:
            return of_numbers("<i8", [len(value)], array.array("q", value).tobytes())
        except OverflowError:
            return of_text(repr(value))
    return of_numbers("<f8", [len(value)], array.array("d", map(float, value)).tobytes())


def of_array(numpy: ModuleType, path: str, value: Any, most: int) -> Plain:
    """Return an array of any library, by way of NumPy."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        value = value.detach().cpu().resolve_conj().resolve_neg() if hasattr(value, "resolve_neg") else value.cpu()
        if value.dtype == torch.bfloat16:
            value = value.float()
        if value.layout != torch.strided:
            value = value.to_dense()
    if "cupy" in sys.modules and type(value).__module__.startswith("cupy"):
        value = value.get()
    if hasattr(value, "toarray") and hasattr(value, "nnz"):
        value = value.toarray()
    found = numpy.asarray(value)
    if found.dtype.kind == "V":  # bfloat16 and the eight-bit floats
        found = found.astype(numpy.float32)
    if found.dtype.kind not in "biufc" or found.dtype.itemsize > 16 or found.dtype.char in "gG":
        if found.dtype.kind in "OUSMm" and (found.ndim or isinstance(value, numpy.generic)):
            return of_text(f"{found.dtype} {found.shape} {found.tolist()!r}")
        raise Unknown("{} is of class {}".format(path or "it", type(value).__name__))
    if found.dtype.byteorder == ">":
        found = found.astype(found.dtype.newbyteorder("<"))
    flat = numpy.ascontiguousarray(found).reshape(-1)
    digest = hashlib.blake2b(memoryview(flat.view(numpy.uint8)), digest_size=16).hexdigest()
    step = max(1, -(-flat.size // most))
    return found.dtype.str, list(found.shape), flat[::step].tobytes(), digest


def snapshot(value: object, objects: list[tuple[str, Any]] | None = None) -> Shot:
    """Return all leaves of a value as ``(path, dtype, shape, bytes, digest)``, copied: later calls may overwrite it.

    ``objects`` gets path and value of those that nothing is known of but that their class compares.

    Raises
    ------
    Unknown
        One cannot be compared.
    """
    found: Shot = []
    try:
        every = leaves(value)
    except RecursionError as error:
        raise Unknown("it is nested too deeply") from error
    for path, leaf in every:
        try:
            found.append((path, *plain(path, leaf)))
        except Unknown:
            if objects is None or not has_own_equality(leaf):
                raise
            objects.append((path, leaf))
            found.append((path, OBJECT, *of_text(type(leaf).__name__)[1:]))
        except Exception as error:
            raise Unknown("{} cannot be read: {}: {}".format(path or "it", type(error).__name__, error)) from error
    return found


def has_own_equality(value: object) -> bool:
    """Return whether an object's class says what equal means; else no two of it are."""
    return any("__eq__" in vars(each) for each in type(value).__mro__[:-1])


def digest(shot: Shot) -> str:
    """One digest of all leaves with their types and shapes."""
    return hashlib.blake2b(json.dumps([row[:3] + row[4:] for row in shot]).encode(), digest_size=16).hexdigest()


#: Numbers and characters of a leaf that are read at once for a fingerprint.
PIECE = 4096


def fingerprint(value: object) -> str:
    """Return a digest of all leaves, read piece by piece: a copy, when it is freed, would have the allocator learn from
    it.

    Raises
    ------
    Unknown
        One cannot be read.
    """
    known = hashlib.blake2b(digest_size=16)
    try:
        for path, leaf in leaves(value):
            known.update(path.encode("utf-8", "replace"))
            if isinstance(leaf, (str, bytes, bytearray, list, tuple)):
                known.update(f"{type(leaf).__name__} {len(leaf)}".encode())
                for start in range(0, len(leaf), PIECE):
                    known.update(plain(path, leaf[start : start + PIECE])[3].encode())
            else:
                dtype, shape, _, digest_of_leaf = plain(path, leaf, most=1)
                known.update(f"{dtype} {shape} {digest_of_leaf}".encode())
    except Unknown:
        raise
    except Exception as error:
        raise Unknown(f"it cannot be read: {type(error).__name__}: {error}") from error
    return known.hexdigest()


def write(path: str, shot: Shot) -> None:
    """Write a snapshot to a file: a line of JSON, then the bytes."""
    with open(path, "wb") as file:
        rows = [
            {"path": row[0], "dtype": row[1], "shape": row[2], "bytes": len(row[3]), "digest": row[4]} for row in shot
        ]
        file.write(json.dumps(rows).encode() + b"\n")
        for row in shot:
            file.write(row[3])


def summary(shot: Shot) -> str:
    """Return what was returned, in a few words: ``float64[100, 100]``."""
    kind = next((row[3].decode() for row in shot if row[1] == KIND and not row[0]), "")
    shot = [row for row in shot if row[1] != KIND]
    texts = [
        (row[0] + ": " if row[0] else "") + text_of(row) + ("[" + ", ".join(map(str, row[2])) + "]" if row[2] else "")
        for row in shot[:4]
    ]
    text = "; ".join(texts) + ("; …" if len(shot) > 4 else "")
    return text if kind in ("", "dict", "list", "tuple") else f"{kind}: {text}"


#: How people write types.
NAMES = {"|b1": "bool", "<i8": "int64", "<f8": "float64", "<f4": "float32", "<c16": "complex128", "<i4": "int32"}


def text_of(row: tuple[str, str, list[int], bytes, str]) -> str:
    """Return a leaf in a word: its type, or the beginning of a text."""
    if row[1] in ("text", OBJECT):
        return row[3].decode("utf-8", "replace")[:40]
    return NAMES.get(row[1], row[1].strip("<|"))
