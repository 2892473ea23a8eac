"""Releases of a project, for people and for programs."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import RenderableType

from arrayspeed.environments.listed import Release
from arrayspeed.environments.pythons import span
from arrayspeed.formats.data import as_json as dump
from arrayspeed.formats.fitting import Fitting
from arrayspeed.formats.tables import markdown_table

HEADINGS = ("release", "date", "wheels", "for here", "Python", "source", "")


def cells(release: Release) -> list[str]:
    """Return a release in words."""
    remark = "; ".join(filter(None, [release.obstacle, "pre-release" if release.early else ""]))
    source = "yes" if release.source else "no"
    pythons = span(release.pythons) if release.pythons else ""
    return [release.version, release.date or "unknown", str(release.wheels), str(release.here), pythons, source, remark]


def as_table(releases: Sequence[Release]) -> RenderableType:
    """For a terminal."""
    styles = ["dim" if one.obstacle else "" for one in releases]
    return Fitting(HEADINGS, list(map(cells, releases)), 2, styles, right=[2, 3], prose=True)


def as_markdown(project: str, releases: Sequence[Release]) -> str:
    """For a page."""
    return "\n".join([f"# Releases of {project}", "", *markdown_table(HEADINGS, map(cells, releases))])


def as_json(project: str, python: str, releases: Sequence[Release]) -> str:
    """For programs."""
    rows = [
        {
            "version": one.version,
            "date": one.date,
            "wheels": one.wheels,
            "wheels_here": one.here,
            "pythons": list(one.pythons),
            "source": one.source,
            "yanked": one.yanked is not None,
            "yanked_reason": one.yanked or None,
            "prerelease": one.early,
            "usable": not one.obstacle,
            "obstacle": one.obstacle or None,
        }
        for one in releases
    ]
    return dump({"project": project, "python": python, "releases": rows})
