"""What was explained on a machine, kept beside its results: a line of JSON for each pair of versions and combination.

The lines are in ``results/<machine>/explanations.jsonl``. Of several lines of one pair and combination the last counts.
A long diff is cut there; the programs themselves are kept in ``programs/`` beside asv's environments, which is not
committed.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from arrayspeed.explain.compare import DIFFERS, NOT_SHOWN, SAME, Explanation
from arrayspeed.records.files import append

#: Not ``.json``: asv takes every such file for results.
FILE = "explanations.jsonl"

#: Lines of a diff that are stored.
LINES = 300

#: What names an explanation: versions and combination.
NAMES = ("library", "old", "new", "kernel", "dtype", "backend", "size", "device")


def store(folder: str | Path, machine: str, library: str, old: str, new: str, explanations: list[Explanation]) -> None:
    """Add lines. One is written whole or, in a kill, is left out on reading."""
    path = Path(folder, machine, FILE)
    common = {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "library": library,
        "old": old,
        "new": new,
    }
    known = load(folder, machine)
    lines = []
    for one in explanations:
        row = common | asdict(one) | {"diff": shortened(one.diff)}
        row = json.loads(json.dumps(row))
        before = known.get(tuple(row[name] for name in NAMES))
        if before is None or before | {"date": ""} != row | {"date": ""}:
            lines.append(json.dumps(row))
    if lines:
        append(path, lines)


def shortened(diff: tuple[str, ...]) -> list[str]:
    """Return the first lines of a diff, and how many are left out."""
    left = len(diff) - LINES
    return [*diff[:LINES], f"… {left} more lines"] if left > 0 else list(diff)


def load(folder: str | Path, machine: str) -> dict[tuple[str | int | None, ...], dict[str, Any]]:
    """Return what is stored of a machine, by `NAMES`; lines that are no explanation are left out."""
    found = {}
    with suppress(OSError):
        for text in Path(folder, machine, FILE).read_bytes().split(b"\n"):
            if row := record(text):
                found[tuple(row[name] for name in NAMES)] = row
    return found


def record(text: bytes) -> dict[str, Any] | None:
    """Return a line; None where it is no explanation, which a file that anyone may have written can hold."""
    with suppress(ValueError, KeyError, TypeError, AttributeError, RecursionError):
        row: dict[str, Any] = json.loads(text.decode())
        texts = [row["library"], row["old"], row["new"], row["kernel"], row["backend"], row["language"], row["why"]]
        counts = [(name, float(old), float(new)) for name, old, new in row["counts"]]
        known = row["size"] is None or type(row["size"]) is int
        if (
            all(isinstance(each, str) for each in (*texts, *row["diff"], *(name for name, _, _ in counts)))
            and all(each is None or isinstance(each, str) for each in (row["dtype"], row["device"]))
            and known
            and row["verdict"] in (SAME, DIFFERS, NOT_SHOWN)
        ):
            return row
    return None
