"""Files that survive a kill: a text that is there whole or not at all, and lines each of which is."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

#: Beside a machine's results: times on several numbers of cores (`arrayspeed.records.scaling`).
SCALING = "scaling.jsonl"


def append(path: Path, lines: Iterable[str]) -> None:
    """Add lines to a file, which is made where it is missing, and have them on the disk."""
    lines = list(lines)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+b") as file:
        # A line that a kill cut short must not swallow the next.
        if file.tell() and (file.seek(-1, os.SEEK_END), file.read(1))[1] != b"\n":
            lines.insert(0, "")
        file.write(("\n".join(lines) + "\n").encode())
        file.flush()
        os.fsync(file.fileno())


def replace(path: Path, content: str | bytes) -> None:
    """Replace a file; a kill leaves the old one or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # A measurement that begins in the folder removes what has this name.
    temporary = path.with_name(f".saving-{os.getpid()}-{path.name}")
    with temporary.open("wb") as file:
        file.write(content.encode() if isinstance(content, str) else content)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
