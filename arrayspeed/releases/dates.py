"""Asks the index when the libraries' releases were published, and keeps that with the results."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from arrayspeed.environments.listed import number, releases
from arrayspeed.environments.pythons import MINORS
from arrayspeed.environments.uv import Uv
from arrayspeed.model.errors import UserError
from arrayspeed.records.released import Released, load, save
from kernels import LIBRARIES


def refresh(folder: str | Path) -> Released:
    """Return what is known of releases: asked anew where that was not done today; what was known before where no index
    can be read, or none of a library.
    """
    before = load(folder)
    today = datetime.now(UTC).date().isoformat()
    if before.asked == today:
        return before
    pythons = [number(name) for name in MINORS]
    dates = dict(before.dates)
    try:
        uv = Uv()
        for library in LIBRARIES:
            every = releases(library, lambda _: None, pythons=pythons, uv=uv)
            dates[library] = {one.version: one.date or "" for one in every if one.yanked is None and one.pythons}
    except UserError:
        return before
    found = Released(today, dates)
    save(folder, found)
    return found
