"""JSON that programs read: what every command prints with ``--format json``, described by `schema.json`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

#: Changes where something is renamed or taken away; what is added changes nothing.
FORMAT = 1

#: A JSON Schema of everything that is printed, a definition for each command.
SCHEMA = Path(__file__).with_name("schema.json")


def as_lines(name: str, rows: Iterable[Mapping[str, Any]]) -> str:
    """Return many rows as JSON, a line each, under a name."""
    lines = ",\n".join(json.dumps(row, ensure_ascii=False, allow_nan=False) for row in rows)
    return f'{{"format": {FORMAT}, {json.dumps(name)}: [\n{lines}\n]}}'


def as_json(data: Mapping[str, Any]) -> str:
    """Return plain data as JSON, which says its format first."""
    return json.dumps({"format": FORMAT, **data}, indent=1, ensure_ascii=False, allow_nan=False)
