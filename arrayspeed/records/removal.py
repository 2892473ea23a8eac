"""Takes values out of results: the lines of their processes, and what asv's files have of them.

A combination goes as a whole, at every commit. Everything is read and checked before anything is written.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection
from pathlib import Path
from typing import Any

from arrayspeed.environments.plugin import PACKAGES
from arrayspeed.model.combination import Combination, parse_parameters
from arrayspeed.records import processes
from arrayspeed.records.combined import Entry, Side
from arrayspeed.records.files import replace
from arrayspeed.records.merge import side

#: An environment and the place of a combination in it.
Place = tuple[str, tuple[str, str, int | None, str | None]]


def remove(folder: Path, ones: Collection[Combination]) -> list[Path]:
    """Take combinations out of one machine's results; the files that changed or went.

    Parameters
    ----------
    folder
        The machine's folder. Nobody else may write to it meanwhile.
    ones
        What goes; of each, everything that there is.

    Raises
    ------
    UserError
        A file is none of asv's, or not what its name says. Nothing is changed then.
    """
    unwanted = {(one.environment, one.place) for one in ones}
    made: dict[Path, bytes] = {}
    # asv's values go first: after a kill, the processes that are left are found and removed again. A value without
    # processes would look like one that nothing is known against.
    for path in sorted(folder.glob("*-*.json")):
        before = side(path).data
        if (after := without(before, unwanted)) is not before:
            made[path] = json.dumps(after).encode()
    for path in sorted(folder.glob(f"*{processes.SUFFIX}")):
        lines = processes.lines_of(path.read_bytes())
        kept = [line for line in lines if not holds(line, processes.environment_of(path), unwanted)]
        if len(kept) < len(lines):
            made[path] = b"".join(line + b"\n" for line in kept)
    for path, content in made.items():
        replace(path, content)
    stems = dict.fromkeys(path.name.removesuffix(".json").removesuffix(processes.SUFFIX) for path in made)
    emptied = [path for stem in stems for path in nothing_left(folder, stem)]
    for path in emptied:
        path.unlink()
    return list(dict.fromkeys([*made, *emptied]))


def nothing_left(folder: Path, stem: str) -> list[Path]:
    """Return the files of an environment at a commit where they hold neither values nor processes any more.

    While there are processes, asv's file stays: it names their commit.
    """
    values, lines, packages = (folder / f"{stem}{ending}" for ending in (".json", processes.SUFFIX, PACKAGES))
    if lines.exists() and lines.stat().st_size:
        return []
    if values.exists() and json.loads(values.read_bytes())["results"]:
        return []
    return [path for path in (lines, packages, values) if path.exists()]


def holds(line: bytes, name: str, unwanted: Collection[Place]) -> bool:
    """Return whether a line is a process of something unwanted; what is no process is not."""
    found = processes.record(line, name)
    return found is not None and (name, found[1].one.place) in unwanted


def without(data: dict[str, Any], unwanted: Collection[Place]) -> dict[str, Any]:
    """asv's results of an environment without some combinations; ``data`` itself where it has none of them.

    The lists in ``data`` are changed.
    """
    left, changed = {}, False
    for name, row in data["results"].items():
        entry = Entry(Side(data), name)
        going = [index for key, index in entry.places.items() if at(data["env_name"], name, key) in unwanted]
        if not going or "result" not in entry.cells:  # without values: all of it failed
            left[name] = row
            continue
        changed = True
        for column, values in entry.cells.items():
            for index in going:
                values[index] = math.nan if column == "result" else None
        if any(value is None or not math.isnan(value) for value in entry.cells["result"]):
            left[name] = row
    return data | {"results": left} if changed else data


def at(name: str, benchmark: str, parameters: tuple[str, ...]) -> Place:
    """Return a combination as asv writes it."""
    found = parse_parameters(parameters)
    return name, (benchmark, found["backend"], found["size"], found["device"])
