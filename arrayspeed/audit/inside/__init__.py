"""What runs inside a measuring environment: checks of each call, an independent clock, the cores that are used.

Each module is started with ``python -m`` and speaks JSON, a line at a time; lines that begin with ``@`` are its own.
"""

from __future__ import annotations

import json


def say(row: dict) -> None:
    """Print one line for the tools; whatever else a library prints is not one of these."""
    print("@" + json.dumps(row), flush=True)
