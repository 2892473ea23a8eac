"""Commits of somebody's own project, measured by code of theirs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from arrayspeed.decide import UNCLEAR_SHARE
from arrayspeed.environments.builds import name_of_wheel
from arrayspeed.environments.git import Commit
from arrayspeed.environments.listed import Release
from arrayspeed.measure.looking import Limits
from arrayspeed.own.commits import Project
from arrayspeed.own.compared import Wanted
from arrayspeed.own.script import Script
from arrayspeed.own.sides import Side
from arrayspeed.subjects.own import OwnCode
from arrayspeed.verdict.verdict import Side as Shown
from arrayspeed.verdict.verdict import Verdict


class Commits(OwnCode):
    """See `arrayspeed.subjects.subject.Subject`. A version is the short name of a commit."""

    unit = "commit"

    def __init__(self, script: Script, project: Project, wanted: Wanted, say: Callable[[str], None]) -> None:
        super().__init__(script, project.repository.root.name, wanted, project.wanted.python, say)
        self.own = project
        self.built: dict[str, Side] = {}
        self.commits: dict[str, Commit] = {}

    def verdict(
        self, sides: Sequence[Side], limits: Limits, unclear: float = UNCLEAR_SHARE, every_pair: bool = False
    ) -> Verdict:
        """Compare commits; nothing is measured where all of them build the same."""
        if not every_pair and self.own.same(sides):
            both = [Shown(side.label) for side in sides]
            title = f"{self.script.name}, {' → '.join(side.label for side in sides)}"
            said = "both commits build the same wheel, and nothing was measured"
            return Verdict(
                title,
                both,
                [],
                [],
                limits.factor,
                unclear,
                limit=limits.limit,
                labels={"file": self.script.name},
                same=said,
            )
        return super().verdict(sides, limits, unclear, every_pair)

    def between(self, old: str, new: str) -> list[Release]:
        """Return the commits between two along first parents, both included, the oldest first."""
        ends = [self.own.repository.commit(text) for text in (old, new)]
        found = self.own.repository.first_parents(*ends)
        self.commits = {one.short: one for one in found}
        return [Release(one.short, one.date or None, 1, 1, True) for one in found]

    def side(self, version: str) -> Side:
        """Return a commit as a side; it is built where it was not."""
        if version not in self.built:
            commit = self.commits[version]
            self.built[version] = replace(self.own.side(commit, self.own.python([commit])), label=version)
            self.project = name_of_wheel(self.own.wheels[commit.label])
        return self.built[version]

    def choose(self, old: str, new: str) -> None:
        """Each commit gets the Python that it asks for, which is this one where it can be."""
        self.ends_of = old, new

    def running(self, version: str) -> list[str]:
        """Return the Python that a commit gets."""
        return [self.own.python([self.commits[version]]).name]

    def links(self, version: str) -> dict[str, str]:
        """Return what a commit says of itself."""
        one = self.commits[version]
        return {one.short: ", ".join(filter(None, [one.subject, one.date]))}


def place_of(without_file: bool, given: str, results: str | None) -> Path:
    """Return where results, wheels and environments go: beside what is measured, unless somebody says otherwise."""
    if results:
        return Path(results).absolute()
    return (Path.cwd() if without_file else Path(given).absolute().parent) / ".arrayspeed"
