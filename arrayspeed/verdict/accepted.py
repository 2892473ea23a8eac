"""Changes for the worse that somebody has accepted: up to a bound, for a reason, until a date.

    [[accepted]]
    comparison = "sort(100000) time"
    package = "numpy"
    old = "2.4.6"
    new = "2.5.5"
    most = 1.4
    reason = "numpy/numpy#12345 is fixed in 2.6"
    expires = 2027-03-01

A change is accepted where all of its interval is below ``most``, so that more noise accepts nothing. ``package``,
``old`` and ``new`` may be left out: then it is accepted whatever is compared.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from datetime import date
from pathlib import Path
from typing import Any

from arrayspeed.decide.compare import stays_within
from arrayspeed.decide.words import ACCEPTED
from arrayspeed.formats.verdicts import number
from arrayspeed.model.errors import UserError
from arrayspeed.model.libraries import PYTHON
from arrayspeed.verdict.rows import Row
from arrayspeed.verdict.verdict import Side, Verdict

#: Where they are, unless somebody says otherwise.
FILE = "accepted.toml"

#: What all of them say, and what goes together.
NEEDED, TOGETHER = ("comparison", "reason", "expires"), ("package", "old", "new")


@dataclass(frozen=True)
class Accepted:
    """One change that is accepted.

    Attributes
    ----------
    comparison
        The function and the measure, as the table has them, or its name in JSON.
    reason
        Why.
    expires
        The last day on which it is accepted.
    most
        The ratio up to which it is; None of what has no ratio, as a failure.
    package, old, new
        The package and its versions on both sides; "" for whatever is compared.
    """

    comparison: str
    reason: str
    expires: date
    most: float | None = None
    package: str = ""
    old: str = ""
    new: str = ""

    def is_of(self, sides: Sequence[Side]) -> bool:
        """Return whether it is about these two sides."""
        return not self.package or [version_of(side, self.package) for side in sides] == [self.old, self.new]

    @property
    def text(self) -> str:
        """In a sentence: up to what, until when, and why."""
        most = "" if self.most is None else f" up to ×{number(self.most)}"
        return f"accepted{most} until {self.expires}: {self.reason}"


def version_of(side: Side, package: str) -> str | None:
    """Return the version of a package on a side, or of its Python."""
    if package == PYTHON:
        return side.python
    return {name.lower(): version for name, version in side.packages.items()}.get(package.lower())


def read(path: Path) -> list[Accepted]:
    """Return what a file accepts.

    Raises
    ------
    UserError
        It cannot be read, or an entry is not one; the message says which and why.
    """
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{path} is not TOML: {error}") from error
    entries = data.get("accepted", [])
    if set(data) - {"accepted"} or not isinstance(entries, list):
        raise UserError(f"{path} holds something else than [[accepted]] entries")
    return [entry(path, number, each) for number, each in enumerate(entries, 1)]


def entry(path: Path, place: int, data: Any) -> Accepted:
    """Return one entry of a file."""

    def wrong(why: str) -> UserError:
        return UserError(f"{path}, entry {place}: {why}")

    if not isinstance(data, dict):
        raise wrong("is no table")
    if unknown := data.keys() - {each.name for each in fields(Accepted)}:
        raise wrong(f"{min(unknown)!r} is not known")
    if missing := [name for name in NEEDED if not data.get(name)]:
        raise wrong(f"{missing[0]!r} is missing")
    if type(data["expires"]) is not date:
        raise wrong("'expires' is no date: expires = 2027-03-01")
    if 0 < sum(bool(data.get(name)) for name in TOGETHER) < len(TOGETHER):
        raise wrong("'package', 'old' and 'new' belong together")
    for name in data.keys() - {"expires", "most"}:
        if not isinstance(data[name], str):
            raise wrong(f"{name!r} is no text")
    most = data.get("most")
    is_number = isinstance(most, int | float) and not isinstance(most, bool)
    if most is not None and not (is_number and 1 < most < math.inf):
        raise wrong("'most' is no ratio above 1")
    return Accepted(**data)


def apply(verdict: Verdict, accepted: Sequence[Accepted], today: date) -> Verdict:
    """Return a verdict in which what is accepted is no longer worse; notes say what was not used, and why."""
    rows, notes = list(verdict.rows), []
    for one in accepted:
        if not one.is_of((verdict.sides[0], verdict.sides[-1])):
            continue
        places = [place for place, row in enumerate(rows) if one.comparison in names(row)]
        if not places:
            notes.append(f"Accepted, and not among what was compared: {one.comparison}.")
        for place in places:
            row = rows[place]
            if not row.worse:
                if row.verdict != ACCEPTED:
                    notes.append(f"Accepted, and no longer worse: {one.comparison} ({row.verdict}).")
            elif one.expires < today:
                notes.append(f"No longer accepted since {one.expires}: {one.comparison}.")
            elif not within(row, one.most):
                notes.append(f"Not shown to be within what is accepted: {one.comparison}, {one.text}.")
            else:
                said = "; ".join(filter(None, [f"{row.verdict}, {one.text}", row.detail]))
                rows[place] = replace(row, verdict=ACCEPTED, was=row.verdict, detail=said)
    return replace(verdict, rows=rows, notes=[*verdict.notes, *notes])


def names(row: Row) -> tuple[str, str]:
    """Return what a row is called: by programs, and by people who read the table."""
    return row.name, " ".join(filter(None, (row.item, row.backend, row.quantity.title)))


def within(row: Row, most: float | None) -> bool:
    """Return whether all of a row's interval is below a ratio; what has no ratio is accepted where none is given."""
    if row.decision is None or row.decision.high is None:
        return most is None
    return most is not None and stays_within(row.decision.high, most)


def written(one: Accepted) -> str:
    """Return an entry as a file holds it."""
    lines = ["[[accepted]]"]
    for each in fields(one):
        value = getattr(one, each.name)
        if value is None or value == "":
            continue
        text = str(value) if isinstance(value, date | float) else quoted(value)
        lines.append(f"{each.name} = {text}")
    return "\n".join(lines) + "\n"


def quoted(text: str) -> str:
    """Return a text as TOML has it."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(each if each.isprintable() else f"\\u{ord(each):04x}" for each in escaped) + '"'
