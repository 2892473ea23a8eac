"""Why steps are as they are: sentences that were checked, each for a step of one machine's committed results.

``reasons.toml`` holds them. A step that is there without a reason was not looked into.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from arrayspeed.model.measures import CALL

PATH = Path(__file__).with_name("reasons.toml")

#: What names a step, beside its library.
NAMES = ("before", "version", "kernel", "size", "backend", "measure")


@cache
def reasons() -> tuple[str, Mapping[tuple[str | int | None, ...], str]]:
    """Return the machine that they were checked on, and library and `NAMES` of a step -> the reason."""
    data = tomllib.loads(PATH.read_text(encoding="utf-8"))
    found: dict[tuple[str | int | None, ...], str] = {}
    for entry in data["steps"]:
        for one in entry.get("of", [{}]):
            where = {"measure": CALL.name} | entry | one
            found[(where["library"], *(where[name] for name in NAMES))] = entry["why"]
    return data["machine"], found


def reason(machine: str, library: str, step: Mapping[str, Any]) -> str:
    """Return why a step is as it is; empty where nobody knows, as on any other machine. ``step`` has `NAMES`."""
    known_on, known = reasons()
    return known.get((library, *(step[name] for name in NAMES)), "") if machine == known_on else ""
