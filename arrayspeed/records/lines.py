"""Lines that are added to a file and survive a kill: each is there whole, or left out on reading."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path


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
