"""What is measured, on sides of any kind: what all commands know of it."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from arrayspeed.environments.listed import Release
from arrayspeed.measure.looking import Limits
from arrayspeed.subjects.found import Asked, Found
from arrayspeed.verdict.verdict import Verdict


class Subject(Protocol):
    """A package, and what is measured of it on its sides.

    Attributes
    ----------
    name, project
        What people call the package, and what the index calls it.
    folder
        Where results are.
    label
        What is measured, in a word that may be a part of a file's name.
    identity
        What tells what is measured from other things of the same package.
    unit
        What people call a version of it: ``release`` or ``commit``.
    """

    name: str
    project: str
    folder: Path
    label: str
    identity: str
    unit: str

    def verdict(self, sides: Sequence[Any], limits: Limits, unclear: float) -> Verdict:
        """Compare sides, the first of which is the reference.

        Parameters
        ----------
        sides
            Of our kernels versions, of own code `arrayspeed.own.sides.Side`.
        limits
            When to stop.
        unclear
            The share of comparisons that may stay unclear.

        Raises
        ------
        UserError
            It cannot be measured; the message says why.
        """

    def releases(self, early: bool = False) -> list[Release]:
        """Return all releases, the oldest first; ``early``: pre-releases and nightly builds too.

        Raises
        ------
        UserError
            There are none, or no index can be read.
        """

    def running(self, version: str) -> list[str]:
        """Return the Pythons in which a release can be measured, the oldest first; none where it cannot be
        installed.
        """

    def choose(self, old: str, new: str) -> None:
        """Decide on one Python for these two releases, and for those between.

        Raises
        ------
        NoPython
            None runs both.
        UserError
            The one that does cannot be had.
        """

    def ends(self, old: str, new: str) -> None:
        """Make the environments of two releases, which differ in as few other packages as can be.

        Raises
        ------
        UserError
            One cannot be made.
        """

    def install(self, version: str) -> None:
        """Make the environment of a release between the ends, like those of the ends where it allows.

        Raises
        ------
        UserError
            It cannot be made, or does not work there.
        """

    def works(self, version: str) -> None:
        """Whether what is measured can be loaded beside a release whose environment is there.

        Raises
        ------
        UserError
            It cannot.
        """

    def measure(
        self, versions: Sequence[str], asked: Mapping[Asked, float | None] | None, limits: Limits, stage: str
    ) -> dict[Asked, Found]:
        """Measure releases, a process of each in every round, until what is asked for is decided.

        Parameters
        ----------
        versions
            The releases, whose environments are there; the first is the reference.
        asked
            What is compared, and the ratio that it is judged by, None being that of ``limits``; without it everything
            is, of the first two releases.
        limits
            When to stop.
        stage
            Rounds of other stages do not count in this one; those of the same stage are not made again.
        """

    def packages(self, version: str) -> dict[str, str]:
        """Return what is installed beside a release, and itself."""

    def links(self, version: str) -> dict[str, str]:
        """Addresses that a release gives of its project: changelog, source."""


def links_of(environment: Path, project: str) -> dict[str, str]:
    """Return the addresses in a project's metadata, by label, as it is installed in an environment."""
    folders = [str(path) for path in environment.glob("lib/python*/site-packages")]
    for found in importlib.metadata.distributions(name=project, path=folders):
        rows = [text.partition(",") for text in found.metadata.get_all("Project-URL") or []]
        links = {label.strip(): url.strip() for label, _, url in rows}
        for home in found.metadata.get_all("Home-page") or []:
            links.setdefault("Homepage", home.strip())
        return {label: url for label, url in links.items() if url.startswith(("https://", "http://"))}
    return {}


def changed(subject: Subject, before: str, after: str) -> dict[str, tuple[str | None, str | None]]:
    """Return packages other than the subject that differ between two releases' environments: companions that came with
    it.
    """
    old, new = subject.packages(before), subject.packages(after)
    own = {subject.name.lower(), subject.project.lower()}
    return {
        name: (old.get(name), new.get(name))
        for name in sorted(old.keys() | new.keys(), key=str.lower)
        if old.get(name) != new.get(name) and name.lower() not in own
    }
