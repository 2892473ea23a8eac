"""Which release did it? A search whose steps are measured, both ends beside the candidate in every round.

Its state is a file, so that a search that was stopped goes on where it was: what was found of the ends, what every step
said, and what was found of the releases on both sides of the change.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from arrayspeed.decide import UNCLEAR_SHARE
from arrayspeed.decide.words import exit_status
from arrayspeed.environments.failures import DISK_FULL, UNREACHABLE
from arrayspeed.environments.listed import Release
from arrayspeed.measure.looking import Limits, OutOfTime
from arrayspeed.model.errors import UserError
from arrayspeed.model.text import digest, file_name
from arrayspeed.model.units import plural
from arrayspeed.releases import state
from arrayspeed.releases.search import Search
from arrayspeed.subjects.found import (
    Asked,
    Found,
    What,
    asked_of,
    like_the_new,
    middle,
    of_data,
    searchable,
    worst_first,
)
from arrayspeed.subjects.subject import Subject, changed

#: Changes when a state of before cannot be gone on with.
FORM = 1


@dataclass(frozen=True)
class Step:
    """One step.

    Attributes
    ----------
    version
        The release that was tried.
    why
        Why it could not be measured; "" where it could.
    found, ends
        Each comparison of it with the middle between the ends (or with the old one: `found.asked_of`), and of the new
        end with the old one in the same rounds.
    seconds
        How long it took.
    """

    version: str
    why: str = ""
    found: Sequence[Found] = ()
    ends: Sequence[Found] = ()
    seconds: float = 0.0


@dataclass(frozen=True)
class Change:
    """What was found of one thing that is worse at the new end.

    Attributes
    ----------
    target
        The new end against the old one.
    before, after
        The last release that is like the old end, and the first that is like the new one.
    between
        Releases of which that could not be said.
    sides
        ``after`` against ``before``, and each of these against the old end, in the same rounds; what was not asked for
        is not there.
    searched
        Whether it was searched for.
    """

    target: Found
    before: str
    after: str
    between: Sequence[str] = ()
    sides: Mapping[str, Found] = field(default_factory=dict)
    searched: bool = True

    @property
    def named(self) -> bool:
        """Whether one release did it, as its own rounds confirm."""
        return self.searched and not self.between and self.confirmed

    @property
    def confirmed(self) -> bool:
        """Whether ``after`` is worse than ``before`` in rounds of their own."""
        step = self.sides.get("step")
        return step is not None and step.worse


@dataclass(frozen=True)
class Outcome:
    """A search.

    Attributes
    ----------
    name, old, new
        The package, and the ends.
    ends
        Everything that was compared of the ends.
    changes
        What became of each thing that is worse.
    steps, left_out
        What was tried, and releases that were not, with the reason.
    seconds
        How long all of it took.
    packages, links
        By ``before → after``: other packages that differ, with both versions; addresses that the later one gives.
    stopped
        Why it ended early; "" where it did not.
    unclear
        The share of the comparisons of the ends that may stay unclear.
    """

    name: str
    old: str
    new: str
    ends: Sequence[Found]
    changes: Sequence[Change] = ()
    steps: Sequence[Step] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    packages: Mapping[str, Mapping[str, Sequence[str | None]]] = field(default_factory=dict)
    links: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    stopped: str = ""
    unclear: float = UNCLEAR_SHARE

    @property
    def status(self) -> int:
        """0: nothing is worse at the new end. 1: something is, whether or not it was traced to one release. 2: that is
        not decided, or the search did not come to its end.
        """
        if self.stopped:
            return 2
        if self.changes:
            return 1
        return exit_status(self.ends, self.unclear)


class Bisection:
    """A search that goes on where it was stopped."""

    def __init__(
        self,
        subject: Subject,
        releases: Sequence[Release],
        limits: Limits,
        say: Callable[[str], None],
        again: bool = False,
        given: Sequence[Found] = (),
        unclear: float = UNCLEAR_SHARE,
        of: str = "",
    ) -> None:
        """Begin a search, or go on with one of the same.

        Parameters
        ----------
        subject
            What is measured.
        releases
            From the old end to the new one.
        limits
            Rounds of each step, the minutes of the whole search, the ratio that somebody would act on.
        say
            Is told of every step.
        again
            Do not go on with what is there.
        given
            What is worse at the new end, where that is known already.
        unclear
            The share of the comparisons of the ends that may stay unclear.
        of
            A regular expression: of what is worse, only what it matches by name is searched for.
        """
        self.subject, self.limits, self.say, self.given = subject, limits, say, list(given)
        self.unclear, self.of = unclear, re.compile(of)
        self.old, self.new = releases[0].version, releases[-1].version
        usable = [one.version for one in releases[1:-1] if not one.obstacle]
        left_out = {one.version: one.obstacle for one in releases[1:-1] if one.obstacle}
        what = [FORM, subject.name, self.old, self.new, subject.identity, limits.factor, limits.rounds]
        key = digest(*what, [one.what for one in self.given], of)
        name = file_name(subject.project, self.old, self.new, key)
        self.path: Path = subject.folder / "bisect" / f"{name}.state"
        self.data = state.load(self.path)
        attempt = self.data.get("attempt", 0) + bool(again and self.data)
        self.data = (None if again else self.data) or {
            "attempt": attempt,
            "versions": [self.old, *usable, self.new],
            "left_out": left_out,
            "ends": [one.data() for one in self.given] or None,
            "steps": [],
            "sides": {},
            "seconds": 0.0,
        }
        # A release that an index did not give may be had by now.
        self.data["steps"] = [row for row in self.data["steps"] if UNREACHABLE not in row["why"]]
        self.until = time.monotonic() + 60 * limits.minutes
        self.since = time.monotonic()

    def save(self) -> None:
        """Keep what there is."""
        now = time.monotonic()
        self.data["seconds"] += now - self.since
        self.since = now
        state.save(self.path, self.data)

    def run(self) -> Outcome:
        """Search.

        Raises
        ------
        UserError
            An end cannot be installed, nothing can be measured, or the disk is full.
        """
        self.subject.ends(self.old, self.new)
        try:
            return self.searched()
        except OutOfTime:
            self.save()
            return self.outcome("time is up")

    def searched(self) -> Outcome:
        """Return the search itself.

        Raises
        ------
        OutOfTime
            The minutes are over.
        """
        if self.data["ends"] is None:
            self.say(f"the ends: {self.subject.name} {self.old} and {self.new}")
            found = self.measure([self.old, self.new], None, "ends")
            self.data["ends"] = [one.data() for one in found.values()]
            self.save()
        while (version := self.next()) is not None:
            left = max(len(one.left) for one in self.searches().values())
            steps = math.ceil(math.log2(left + 1))
            number = len(self.data["steps"]) + 1
            rest = f"{plural(left, self.subject.unit)} left, about {plural(steps, 'step')}"
            self.say(f"step {number}: {self.subject.name} {version} ({rest})")
            self.step(version)
        self.last()
        return self.outcome()

    def ends(self) -> list[Found]:
        """Return what was found of the ends, the worst first."""
        return worst_first(of_data(each) for each in self.data["ends"] or ())

    def targets(self) -> dict[What, Found]:
        """Return what is searched for."""
        return {one.what: one for one in self.ends() if searchable(one) and self.of.search(one.name)}

    def searches(self) -> dict[What, Search]:
        """Return how far each search is, by the steps so far."""
        made = {}
        for what, target in self.targets().items():
            made[what] = Search(self.data["versions"])
            for step in map(step_of, self.data["steps"]):
                made[what].tell(step.version, self.said(target, step))
        return made

    def said(self, target: Found, step: Step) -> bool | None:
        """Return what a step says of a target: whether the release is like the new end. A step that did not look at a
        target was outside of what was left of it.
        """
        found, ends = ({one.what: one for one in each} for each in (step.found, step.ends))
        return like_the_new(target, found.get(target.what), ends.get(target.what))

    def next(self) -> str | None:
        """Return the release to try: of the search that has most left."""
        every = [one for one in self.searches().values() if one.left]
        return max(every, key=lambda item: len(item.left)).next if every else None

    def step(self, version: str) -> None:
        """Try a release for all that it may tell of."""
        started = time.monotonic()
        looking = {what: one for what, one in self.searches().items() if version in one.left}
        targets = self.targets()
        why = ""
        found: dict[Asked, Found] = {}
        try:
            self.subject.install(version)
            self.subject.works(version)
        except UserError as error:
            if DISK_FULL in str(error):  # no other release could be installed either
                raise
            why = str(error)
        if not why:
            asked: dict[Asked, float | None] = {}
            for what in looking:
                asked |= asked_of(targets[what], self.old, version, self.new)
            found = self.measure([self.old, version, self.new], asked, "step")
        row = {
            "version": version,
            "why": why,
            "found": [one.data() for (_, _, end), one in found.items() if end == version],
            "ends": [one.data() for (_, _, end), one in found.items() if end == self.new],
            "seconds": time.monotonic() - started,
        }
        self.data["steps"].append(row)
        self.save()
        for line in self.said_of(step_of(row), looking):
            self.say(f"  {line}")

    def said_of(self, step: Step, looking: Mapping[What, Search]) -> list[str]:
        """Return what a step said, in lines."""
        if step.why:
            return [f"{step.version} is left out: {step.why}"]
        words = {None: "unclear, skipped", True: f"like {self.new}", False: f"like {self.old}"}
        targets = self.targets()
        return [f"{targets[what].name}: {words[self.said(targets[what], step)]}" for what in looking]

    def last(self) -> None:
        """Measure the releases on both sides of each change, in rounds of their own."""
        groups: dict[tuple[str, str], list[What]] = {}
        for what, one in self.searches().items():
            groups.setdefault((one.before, one.after), []).append(what)
        for (before, after), whats in groups.items():
            if f"{before} → {after}" in self.data["sides"]:
                continue
            self.say(f"both sides: {self.subject.name} {before} and {after}")
            for version in (before, after):
                self.subject.install(version)
            targets = self.targets()
            asked: dict[Asked, float | None] = {(what, before, after): None for what in whats}
            versions = [before, after]
            if self.old not in versions:
                versions.append(self.old)
                asked |= {(what, self.old, end): middle(targets[what]) for what in whats for end in (before, after)}
            elif self.new not in versions:
                versions.append(self.new)
            found = self.measure(versions, asked, "sides")
            self.data["sides"][f"{before} → {after}"] = {
                "found": [[one.data(), old, new] for (_, old, new), one in found.items()],
                "packages": changed(self.subject, before, after),
                "links": self.subject.links(after),
            }
            self.save()

    def measure(
        self, versions: Sequence[str], asked: Mapping[Asked, float | None] | None, stage: str
    ) -> dict[Asked, Found]:
        """Releases side by side, for the minutes that are left."""
        minutes = (self.until - time.monotonic()) / 60
        if minutes <= 0:
            raise OutOfTime
        limits = replace(self.limits, minutes=minutes, whole=True, patient=stage == "step")
        return self.subject.measure(versions, asked, limits, f"{stage} {self.data['attempt']}")

    def outcome(self, stopped: str = "") -> Outcome:
        """Return what is known now."""
        ends = self.ends()
        searches = self.searches()
        changes = []
        for one in ends:
            if not one.worse:
                continue
            search = searches.get(one.what)
            if search is None:
                changes.append(Change(one, self.old, self.new, searched=False))
                continue
            sides = self.sides_of(one.what, search)
            changes.append(Change(one, search.before, search.after, tuple(search.between), sides))
        rows = self.data["sides"]
        return Outcome(
            self.subject.name,
            self.old,
            self.new,
            ends,
            changes,
            list(map(step_of, self.data["steps"])),
            self.data["left_out"],
            self.data["seconds"],
            {key: row["packages"] for key, row in rows.items()},
            {key: row["links"] for key, row in rows.items()},
            stopped,
            self.unclear,
        )

    def sides_of(self, what: What, search: Search) -> dict[str, Found]:
        """Return what was found of the releases on both sides of a change: of both together, and of each with the old
        end.
        """
        row = self.data["sides"].get(f"{search.before} → {search.after}")
        keys = {
            (self.old, search.before): "before",
            (self.old, search.after): "after",
            (search.before, search.after): "step",  # last: the old end may be the release before
        }
        found = {}
        for each, old, new in row["found"] if row else ():
            one = of_data(each)
            if one.what == what:
                found[keys[old, new]] = one
        return found


def step_of(row: dict[str, Any]) -> Step:
    """Return a step as it is kept."""
    found, ends = (list(map(of_data, row[key])) for key in ("found", "ends"))
    return Step(row["version"], row["why"], found, ends, row["seconds"])
