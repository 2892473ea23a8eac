"""What the processes of sides have loaded, kept in a file beside their records: a line for each process."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import threadpoolctl

from arrayspeed.own.records import Records
from arrayspeed.records.files import append

#: What the file of a run's records is called, and this one beside it.
RECORDS, LOADED = ".jsonl", ".loaded.jsonl"

#: The file that finds it, which runs in the sides' processes.
FINDER = str(threadpoolctl.__file__)


def path_of(records: Records) -> Path:
    """Return the file beside some records."""
    return records.path.with_name(records.path.name.removesuffix(RECORDS) + LOADED)


def keep(records: Records, number: int, found: Mapping[str, Sequence[Mapping[str, Any]] | None]) -> None:
    """Keep what the processes of a round had loaded when it ended; side -> what, None where it cannot be told."""
    common = {"run": records.run, "attempt": records.attempt, "round": number}
    lines = [json.dumps({**common, "side": side, "loaded": loaded}) for side, loaded in found.items()]
    if lines:
        append(path_of(records), lines)


def loaded(records: Records) -> dict[str, list[dict[str, Any]] | None]:
    """Return what each side had loaded, in its last round; without sides of which nothing was kept."""
    path, found = path_of(records), {}
    for line in path.read_bytes().splitlines() if path.exists() else ():
        try:
            row = json.loads(line)
            if (row["run"], row["attempt"]) == (records.run, records.attempt):
                found[row["side"]] = row["loaded"]
        except (ValueError, KeyError, TypeError):
            continue  # what a kill left half written
    return found
