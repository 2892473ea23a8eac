"""Results that go to another side: to be compared there, or to be read there.

They are pickled, as a cache, a queue or another process would do. What a side cannot read is a finding where the file
asks for it (``exchange_NAME``), and else the reason why results were not compared.
"""

from __future__ import annotations

import pickle

from . import values
from .loading import Mistake, describe_error

TYPE_CHECKING = False  # type checkers take it as true
if TYPE_CHECKING:
    from typing import Any

    from .loading import File

#: The first protocol that takes objects of any size; all supported Pythons read it.
PROTOCOL = 4

#: Questions about what sides returned.
SAME, EQUAL, EXCHANGE = "same", "equal", "exchange"


class Unreadable(Exception):
    """What was written cannot be read here, or cannot be written at all."""


def write(path: str, value: object) -> None:
    """Pickle a value.

    Raises
    ------
    Unreadable
        That is impossible.
    """
    try:
        with open(path, "wb") as file:
            pickle.dump(value, file, PROTOCOL)
    except Exception as error:  # whatever a class raises that cannot be pickled
        raise Unreadable(f"it cannot be pickled: {describe_error(error)}") from error


def read(path: str) -> Any:
    """Return a value that any side has pickled.

    Raises
    ------
    Unreadable
        That is impossible here.
    """
    try:
        with open(path, "rb") as file:
            return pickle.load(file)
    except Exception as error:  # whatever a class raises that cannot be made
        raise Unreadable(f"what was pickled there cannot be read: {describe_error(error)}") from error


def equal(old: object, new: object) -> bool:
    """Return whether two objects are equal by their class.

    Raises
    ------
    values.Unknown
        Their class does not say.
    """
    found = old == new
    if isinstance(found, bool) or type(found).__name__ in ("bool_", "bool"):
        return bool(found)
    raise values.Unknown(f"== of class {type(old).__name__} returns {type(found).__name__}")


def all_equal(old: list[Any], new: list[Any]) -> tuple[bool, str]:
    """Return whether objects are equal, one by one; and of which path and class the first one is that is not."""
    if [path for path, _ in old] != [path for path, _ in new]:
        return False, "other parts"
    for (path, one), (_, other) in zip(old, new):
        if not equal(one, other):
            return False, f"{path + ': ' if path else ''}{type(one).__name__} is not equal"
    return True, ""


def answer(loaded: File, request: dict[str, Any]) -> dict[str, Any]:
    """Answer a question about what sides returned.

    In a request ``across`` is the question, ``function`` whose it is, and ``old`` and ``new``, or ``made``, are paths
    to what was pickled. ``values`` is a path to which what was read is written, as a result is.
    """
    if request["across"] == EXCHANGE:
        read_back = loaded.exchange[request["function"]](read(request["made"]))
        try:
            shot = values.snapshot(read_back) if read_back is not None else []
        except values.Unknown:
            shot = []  # that it could be read is what can be said
        values.write(request["values"], shot)
        return {"digest": values.digest(shot), "files": [request["values"]], "inputs": None}
    old, new = read(request["old"]), read(request["new"])
    if request["across"] == EQUAL:
        same, detail = all_equal(old, new)
        return {"same": same, "detail": detail}
    judge = loaded.same[request["function"]]
    try:
        same = judge(old, new)
    except AssertionError as error:
        return {"same": False, "detail": describe_error(error, loaded.path)}
    if same is None:
        raise Mistake(f"{judge.__name__} returns None: it must return whether the results are the same")
    return {"same": bool(same), "detail": "" if same else f"{judge.__name__} says so"}
