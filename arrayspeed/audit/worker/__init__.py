"""What runs inside a measuring environment: checks of each call, the cores that are used, and asv's side of the clocks.

Each module is started with ``python -m`` and speaks JSON, a line at a time. Lines of the checks begin with ``@``; those
of `by_asv` are as `arrayspeed.measure.players` has them.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any


def say(row: dict[str, Any]) -> None:
    """Print one line for the tools; whatever else a library prints is not one of these."""
    print("@" + json.dumps(row), flush=True)
