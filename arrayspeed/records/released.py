"""When releases were published, as an index said: ``releases.jsonl`` among the results, so that pages need no network.

The first line says on which day it was asked, and every other one has a library, a version and a date.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from packaging.version import InvalidVersion, Version

FILE = "releases.jsonl"


@dataclass(frozen=True)
class Released:
    """What an index said.

    Attributes
    ----------
    asked
        On which day, 2026-01-31; "" where it never was.
    dates
        Library -> version -> when it was published, "" where the index does not say.
    """

    asked: str = ""
    dates: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def newer(self, library: str, version: str | None) -> dict[str, str]:
        """Return the final releases of a library after a version, the oldest first, with their dates."""
        try:
            after = Version(version or "")
        except InvalidVersion:
            return {}
        found = {each: date for each, date in self.dates.get(library, {}).items() if Version(each) > after}
        return {each: found[each] for each in sorted(found, key=Version)}

    def text(self, library: str, version: str | None) -> str:
        """Say that there are releases after the one that was measured; "" where there are none."""
        newer = self.newer(library, version)
        if not newer:
            return ""
        last, date = list(newer.items())[-1]
        more = f", and {len(newer) - 1} before it" if len(newer) > 1 else ""
        when = f" ({date})" if date else ""
        return f"{library} {last}{when} is newer than {version}, which was measured{more}: as of {self.asked}"


def load(folder: str | Path) -> Released:
    """Return what is stored; a line that cannot be read does not count."""
    asked, dates = "", cast("dict[str, dict[str, str]]", {})
    try:
        lines = Path(folder, FILE).read_text(encoding="utf-8").splitlines()
    except OSError:
        return Released()
    for line in lines:
        try:
            row = json.loads(line)
            if "asked" in row:
                asked = str(row["asked"])
            else:
                Version(row["version"])
                dates.setdefault(str(row["library"]), {})[str(row["version"])] = str(row["date"])
        except (ValueError, LookupError, TypeError):
            continue
    return Released(asked, dates)


def save(folder: str | Path, released: Released) -> None:
    """Keep it among the results."""
    rows = [
        {"library": library, "version": version, "date": date}
        for library, dates in sorted(released.dates.items())
        for version, date in dates.items()
    ]
    path = Path(folder, FILE)
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f".{FILE}")
    new.write_text("".join(f"{json.dumps(row)}\n" for row in [{"asked": released.asked}, *rows]), encoding="utf-8")
    new.replace(path)
