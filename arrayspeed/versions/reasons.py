"""Why steps are as they are: sentences that were checked, each for a step of the committed results.

``reasons.toml`` holds them. A step that is there without a reason was not looked into.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from arrayspeed.model.measures import CALL

PATH = Path(__file__).with_name("reasons.toml")

#: What names a step, beside its library.
NAMES = ("before", "version", "kernel", "size", "backend", "measure")


@cache
def reasons() -> Mapping[tuple, str]:
    """Library and `NAMES` of a step -> the reason."""
    entries = tomllib.loads(PATH.read_text(encoding="utf-8"))["steps"]
    found: dict[tuple, str] = {}
    for entry in entries:
        of = entry.get("of", [{}])
        for one in of:
            where = {"measure": CALL.name} | entry | one
            found[(where["library"], *(where[name] for name in NAMES))] = entry["why"]
    return found


def reason(library: str, step: Mapping) -> str:
    """Why a step is as it is; empty where nobody knows. ``step`` has `NAMES`."""
    return reasons().get((library, *(step[name] for name in NAMES)), "")
