"""Where commands print their tables."""

from __future__ import annotations

import os

from rich.console import Console


def console(piped_width: int = 160) -> Console:
    """Return a console; ``piped_width`` is its width where the output is no terminal and COLUMNS says nothing."""
    made = Console(highlight=False)
    if not made.is_terminal and "COLUMNS" not in os.environ:
        made.width = piped_width
    return made
