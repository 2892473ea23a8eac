"""In what state a machine was when a measurement began: ``states.jsonl`` beside its results, a line for each."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from arrayspeed.records.files import append

FILE = "states.jsonl"


def add(folder: Path, data: Mapping[str, Any]) -> None:
    """Append what is known of a machine now, with the time, UTC, and the process that measures."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    append(folder / FILE, [json.dumps({"date": now, "process": os.getpid(), **data})])
