"""How the report's files are written: compact, strict JSON, with the four digits that a number is known to at best."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, overload

from arrayspeed.decide.compare import Ratio


def dump(path: Path, data: Any) -> None:
    """One file."""
    path.write_text(json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":")), encoding="utf-8")


@overload
def rounded(value: float) -> float: ...
@overload
def rounded(value: None) -> None: ...
def rounded(value: float | None) -> float | None:
    """Four digits; None stays."""
    return None if value is None else float(f"{value:.4g}")


def interval(ratio: Ratio) -> list[float]:
    """Return a ratio with its interval."""
    return [rounded(value) for value in (ratio.ratio, ratio.low, ratio.high)]
