"""Samples of two sides from files: lines that hold both, or two files of one tool (`arrayspeed.own.exports`).

What comes out is `arrayspeed.decide.Observed`, one a comparison. Lines, of JSON or CSV, whose sides share rounds are
compared pair by pair. Two files were measured one after the other: their sides are compared unpaired, with the noise
between two sessions on top, which no sample within a session can show.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from arrayspeed.decide import Observed
from arrayspeed.decide.compare import PROCESS_NOISE
from arrayspeed.decide.observed import Value
from arrayspeed.model.errors import UserError
from arrayspeed.own.exports import CSV, HYPERFINE, TOOLS, Benchmarks, positive, rows_of_csv, shown

#: Standard deviation of the logarithm of a ratio that two sessions of one quiet machine add: clock speed, temperature,
#: memory layout, what else runs. Shared machines have more.
SESSION_NOISE = 0.02

SIDES = ("reference", "subject")

#: The kind of a file that holds both sides.
LINES = "JSON lines"


@dataclass(frozen=True)
class Samples:
    """What files hold.

    Attributes
    ----------
    comparisons
        Name -> what its two sides gave.
    notes
        What a reader must know to judge the decisions.
    """

    comparisons: dict[str, Observed]
    notes: list[str] = field(default_factory=list)


def read(first: str, second: str | None = None, session_noise: float = SESSION_NOISE) -> Samples:
    """Return the comparisons of one file of JSON lines, or of two files from the same tool, reference first.

    ``-`` is standard input. ``session_noise``: standard deviation of the logarithm of a ratio between two sessions.

    Raises
    ------
    UserError
        A file cannot be read, is of no known kind, or holds what is no sample; the message says where.
    """
    if first == second == "-":
        raise UserError("only one of the two files can be standard input")
    kind, content = parse(first)
    if second is None:
        if kind != LINES:
            raise UserError(f"{name_of(first)} holds one side, measured by {kind}: give the other side's file as well")
        return from_lines(first, content, session_noise)
    other_kind, other_content = parse(second)
    if LINES in (kind, other_kind):
        lines = name_of(first if kind == LINES else second)
        raise UserError(f"{lines} is JSON lines, which hold both sides: give that file alone")
    if kind != other_kind:
        raise UserError(f"{name_of(first)} is of {kind}, {name_of(second)} of {other_kind}: both must be of one tool")
    sides = [benchmarks(*each) for each in ((first, kind, content), (second, kind, other_content))]
    return from_two(kind, (first, second), sides, session_noise)


def name_of(path: str) -> str:
    """Return a file as messages call it."""
    return "standard input" if path == "-" else path


def parse(path: str) -> tuple[str, Any]:
    """Return the kind of a file, and its content: lines for JSON lines, the object that it holds for others."""
    text = content_of(path)
    if not text.strip():
        raise UserError(f"{name_of(path)} is empty")
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        first = text.lstrip().split("\n", 1)[0]
        if '"comparison"' in first or getattr(error, "msg", "").startswith("Extra data"):
            return LINES, text.split("\n")
        if (rows := rows_of_csv(text)) is not None:
            return (LINES, map(json.dumps, rows)) if "comparison" in rows[0] else (CSV, {"rows": rows})
        where = f" at line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise UserError(f"{name_of(path)} is not valid JSON{where}: {reason(error)}") from error
    if isinstance(data, dict):
        if "comparison" in data:
            return LINES, [json.dumps(data)]
        for tool in TOOLS:
            if TOOLS[tool].recognises(data):
                return tool, data
    raise UserError(
        f"{name_of(path)} is JSON, but neither lines of samples nor what {', '.join(TOOLS)} export: "
        "see `arrayspeed decide --help`"
    )


def content_of(path: str) -> str:
    """Return the text of a file."""
    try:
        content = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except (OSError, ValueError) as error:
        raise UserError(f"cannot read {path!r}: {getattr(error, 'strerror', None) or error}") from error
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UserError(f"{name_of(path)} is not text in UTF-8") from error


def reason(error: Exception) -> str:
    """Return what went wrong, in one line."""
    if isinstance(error, RecursionError):
        return "nested too deeply"
    if isinstance(error, json.JSONDecodeError):
        return error.msg
    return str(error).splitlines()[0] if str(error) else type(error).__name__


def from_lines(path: str, lines: Iterable[str], session_noise: float) -> Samples:
    """Return the comparisons of JSON lines: comparison, side, round and value; further keys are ignored."""
    sides: dict[str, tuple[dict[Hashable, Value], dict[Hashable, Value]]] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            name, side, key, value = sample(json.loads(line))
            into = sides.setdefault(name, ({}, {}))[SIDES.index(side)]
            if key in into:
                raise ValueError(f"round {shown(key)} of {shown(name)}, {side}, is there twice")
        except (ValueError, RecursionError) as error:
            raise UserError(f"{name_of(path)}, line {number}: {reason(error)}") from error
        into[key] = value
    found = {name: Observed(*each) for name, each in sides.items()}
    lone = [name for name, one in found.items() if not one.reference or not one.subject]
    apart = [name for name, one in found.items() if name not in lone and not one.reference.keys() & one.subject.keys()]
    for name in apart:
        found[name] = replace(found[name], extra=session_noise)
    notes = []
    if apart:
        notes.append(
            "Compared unpaired, since their sides share no round, with a noise of "
            f"{100 * session_noise:g} % on top for not having been measured in turn: {listing(apart)}."
        )
    for n, side in enumerate(SIDES):
        if names := [name for name in lone if not sides[name][n]]:
            notes.append(f"No sample of the {side}: {listing(names)}.")
    return Samples(found, notes)


def sample(row: object) -> tuple[str, str, Hashable, float | list[float | None] | None]:
    """Return the comparison, side, round and value of one line.

    Raises
    ------
    ValueError
        The line is no sample.
    """
    if not isinstance(row, dict):
        raise ValueError("a JSON object with comparison, side, round and value is needed")
    for key in ("comparison", "side", "round", "value"):
        if key not in row:
            raise ValueError(f"{key!r} is missing")
    name, side, key, value = (row[each] for each in ("comparison", "side", "round", "value"))
    if not isinstance(name, str) or not name:
        raise ValueError(f"a comparison must be text, not {shown(name)}")
    if side not in SIDES:
        raise ValueError(f"a side must be reference or subject, not {shown(side)}")
    if isinstance(key, bool) or not isinstance(key, (int, str)):
        raise ValueError(f"a round must be a whole number or text, not {shown(key)}")
    if isinstance(value, list):
        if not value:
            raise ValueError("a list of batches must not be empty; null says that the process failed")
        return name, side, key, [None if one is None else positive(one) for one in value]
    return name, side, key, None if value is None else positive(value)


def from_two(kind: str, paths: tuple[str, str], sides: list[Benchmarks], session_noise: float) -> Samples:
    """Return the comparisons of two files of one tool."""
    old, new = sides
    if kind == HYPERFINE and len(old) == len(new) == 1:  # one command each, which usually differ in a version
        ((before, values),), ((after, others),) = old.items(), new.items()
        pairs = {before if before == after else f"{before} → {after}": (values, others)}
        missing: list[list[str]] = [[], []]
    else:
        pairs = {name: (old[name], new[name]) for name in old if name in new}
        missing = [[name for name in one if name not in other] for one, other in ((old, new), (new, old))]
    if not pairs:
        raise UserError(f"{name_of(paths[0])} and {name_of(paths[1])} have no benchmark in common")
    found = {
        name: Observed(
            numbered(SIDES[0], each[0]), numbered(SIDES[1], each[1]), extra=session_noise, known=PROCESS_NOISE
        )
        for name, each in pairs.items()
    }
    notes = [
        f"The two files were measured one after the other, not in turn: a noise of {100 * session_noise:g} % between "
        "sessions is added (--session-noise). What a session does to all its benchmarks looks like a change of each."
    ]
    single = [name for name, each in pairs.items() if 1 in [len(works(values)) for values in each]]
    if single:
        notes.append(
            f"A side of a single process says nothing about its noise, and {100 * PROCESS_NOISE:g} % is assumed: "
            + ("all." if len(single) == len(pairs) else f"{listing(single)}.")
        )
    notes += [
        f"Only in {name_of(path)}: {listing(names)}." for path, names in zip(paths, missing, strict=True) if names
    ]
    return Samples(found, notes)


def numbered(side: str, values: list[float | None]) -> dict[Hashable, float | None]:
    """Return processes by a number that the other side has not, so that nothing is a pair."""
    return {(side, number): value for number, value in enumerate(values)}


def works(values: list[float | None]) -> list[float]:
    """Return what the processes gave that did not fail."""
    return [value for value in values if value is not None]


def listing(names: Iterable[str]) -> str:
    """Names in a sentence."""
    return ", ".join(names)


def benchmarks(path: str, kind: str, data: dict[str, Any]) -> Benchmarks:
    """Return the benchmarks of one file.

    Raises
    ------
    UserError
        The file is not what the tool writes.
    """
    found: Benchmarks = {}
    try:
        for name, values in TOOLS[kind].benchmarks(data):
            if name in found:
                raise ValueError(f"{shown(name)} is there twice")
            if not values:
                raise ValueError(f"{shown(name)} has no values")
            found[name] = values
    except (KeyError, TypeError, AttributeError, ValueError, RecursionError) as error:
        why = f"{error} is missing" if isinstance(error, KeyError) else reason(error)
        raise UserError(f"{name_of(path)} is not what {kind} writes: {why}") from error
    if not found:
        raise UserError(f"{name_of(path)} holds no benchmark")
    return found
