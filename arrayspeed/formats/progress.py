"""Progress on standard error, which is no part of a result: lines that stay and, on a terminal, one that changes."""

from __future__ import annotations

import sys

from arrayspeed.model.text import printable

#: What clears a terminal's line.
CLEAR = "\r\x1b[K"


def say(text: str) -> None:
    """Print a line that stays."""
    start = CLEAR if sys.stderr.isatty() else ""
    print(f"{start}{printable(text)}", file=sys.stderr, flush=True)


def change(text: str) -> bool:
    """Replace the line that changes; return False where standard error is no terminal, which has none."""
    if sys.stderr.isatty():
        print(f"{CLEAR}{printable(text)[:118]}", end="", file=sys.stderr, flush=True)
        return True
    return False


def clear() -> None:
    """Leave the terminal's line clean."""
    if sys.stderr.isatty():
        print(CLEAR, end="", file=sys.stderr, flush=True)


def clock(seconds: float) -> str:
    """Return minutes and seconds, or hours and minutes."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes_left = divmod(minutes, 60)
    return f"{hours}:{minutes_left:02d} h" if hours else f"{minutes}:{rest:02d} min"
