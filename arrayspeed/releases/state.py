"""A file of JSON that is there whole or not at all, whenever the process is killed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from arrayspeed.model.errors import UserError
from arrayspeed.records.files import replace


def load(path: Path) -> dict[str, Any]:
    """Return what a file holds; nothing where there is none.

    Raises
    ------
    UserError
        It holds something else.
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise UserError(f"{path} cannot be read: move it away to begin anew") from error
    if not isinstance(found, dict):
        raise UserError(f"{path} is no state of arrayspeed: move it away to begin anew")
    return found


def save(path: Path, data: dict[str, Any]) -> None:
    """Replace a file."""
    replace(path, json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False) + "\n")
