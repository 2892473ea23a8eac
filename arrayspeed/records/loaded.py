"""Which BLAS and OpenMP environments load on a machine: ``loaded.jsonl`` beside its results, a line for each."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from arrayspeed.records.files import append

FILE = "loaded.jsonl"


def add(
    folder: Path, environment: str, packages: str, backends: Sequence[str], found: Sequence[Mapping[str, Any]]
) -> None:
    """Append what an environment loads where some backends are used, with the time, UTC; ``packages``: a digest."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    row = {"date": now, "environment": environment, "packages": packages, "backends": sorted(backends)}
    append(folder / FILE, [json.dumps({**row, "loaded": list(found)})])


def of(
    folder: Path, environment: str, packages: str | None = None, backends: Sequence[str] | None = None
) -> list[dict[str, Any]] | None:
    """Return what an environment loads, as it was last kept; None where it was not.

    ``packages``, ``backends``: it must be of these; None: of any.
    """
    found: list[dict[str, Any]] | None = None
    path = folder / FILE
    for line in path.read_bytes().splitlines() if path.exists() else ():
        with suppress(ValueError, KeyError, TypeError):  # a line that a kill cut short, or that is none
            row = json.loads(line)
            alike = packages in (None, row["packages"]) and (backends is None or sorted(backends) == row["backends"])
            if row["environment"] == environment and alike:
                found = list(map(dict, row["loaded"]))
    return found
