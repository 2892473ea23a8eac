"""New releases of what is watched: each compared with the last one that was, and reported once.

A release goes through stages, and the state is kept after each, so that a job that is killed goes on:

    screen   a few rounds of everything
    confirm  what is worse or unclear, in rounds of their own
    persist  what is worse still, on another day or another machine
    bisect   between which releases it came, where there are several
    say      a page, a line in the summary, and a line printed
"""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from packaging.version import Version

from arrayspeed.decide.words import exit_status
from arrayspeed.environments.failures import PASSING
from arrayspeed.environments.listed import Release
from arrayspeed.formats.verdicts import MEANING
from arrayspeed.measure.looking import Limits, OutOfTime
from arrayspeed.model.errors import UserError
from arrayspeed.model.text import file_name
from arrayspeed.records import files
from arrayspeed.releases import outcome, pages, state
from arrayspeed.releases.bisect import Bisection
from arrayspeed.subjects.found import Asked, Found, counted, of_data, searchable, worst_first
from arrayspeed.subjects.subject import Subject, changed

SCREEN, CONFIRM, PERSIST, BISECT, SAY = "screen", "confirm", "persist", "bisect", "say"

#: The most rounds of a screen: half of what is decided at all needs no more.
FEW = 8

#: Hours after which it is another day.
DAY = 20.0

#: Comparisons that the list of all releases names of each.
MOST = 3


@dataclass(frozen=True)
class Rules:
    """How long, and how strict.

    Attributes
    ----------
    limits
        Of each stage; the minutes are those of the whole run.
    unclear
        The share of comparisons that may stay unclear.
    apart
        Hours between two measurements of what is worse, on one machine.
    since
        The release that the first new one is compared with, where nothing is known; None for the newest.
    """

    limits: Limits
    unclear: float
    apart: float = DAY
    since: str | None = None


class Watch:
    """One package that is watched. ``statuses``: the exit statuses of what was said in this run, and 2 for what is not
    finished.
    """

    def __init__(
        self,
        subject: Subject,
        releases: Sequence[Release],
        rules: Rules,
        say: Callable[[str], None],
        tell: Callable[[str], None],
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """``say`` is told what is being done, and ``tell`` what came out."""
        self.subject, self.rules, self.say, self.tell, self.now = subject, rules, say, tell, now
        self.releases = {one.version: one for one in releases}
        self.path = subject.folder / "watch.state"  # with .json at its end, asv would look for results in it
        self.key = f"{subject.project}, {subject.label}"
        self.until = time.monotonic() + 60 * rules.limits.minutes
        self.statuses: list[int] = []

    def run(self) -> int:
        """Take every new release as far as it goes today; returns the exit status.

        Raises
        ------
        UserError
            Nothing can be measured.
        """
        mine = self.load()
        if all(one.obstacle for one in self.releases.values()):
            raise UserError(
                f"{self.subject.name} has no release with a wheel for this platform and an available Python"
            )
        self.drop_vanished(mine)
        if mine["seen"] is None:
            self.begin(mine)
        while mine["pending"] or self.news(mine):
            if not self.advance(mine):
                break
        return 1 if 1 in self.statuses else max(self.statuses, default=0)

    def load(self) -> dict[str, Any]:
        """Return what is known of this package."""
        self.every = state.load(self.path)
        empty: dict[str, Any] = {"seen": None, "pending": None, "unusable": {}, "history": []}
        mine: dict[str, Any] = self.every.setdefault(self.key, empty)
        return mine

    def save(self) -> None:
        """Keep it."""
        state.save(self.path, self.every)

    def drop_vanished(self, mine: dict[str, Any]) -> None:
        """Leave a release that the index has no more; in comparisons an earlier one takes its place."""
        now = mine["pending"]
        if now and not {now["version"], now["against"]} <= self.releases.keys():
            self.say(f"{self.title(now)}: no longer in the index")
            mine["pending"] = None
        if mine["seen"] is not None and mine["seen"] not in self.releases:
            earlier = [
                one.version
                for one in self.releases.values()
                if Version(one.version) < Version(mine["seen"]) and not one.obstacle
            ]
            mine["seen"] = earlier[-1] if earlier else None

    def begin(self, mine: dict[str, Any]) -> None:
        """Begin with the release that later ones are compared with."""
        usable = [one.version for one in self.releases.values() if not one.obstacle]
        since = self.rules.since
        if since is not None and since not in usable:
            raise UserError(f"--since {since}: {self.subject.name} has no such release with a wheel for here")
        mine["seen"] = since or usable[-1]
        self.save()
        self.say(f"{self.subject.name}: releases after {mine['seen']} are compared with it")

    def news(self, mine: dict[str, Any]) -> bool:
        """Take up the newest release after the last one that was seen, if there is one."""
        after = [
            one.version
            for one in self.releases.values()
            if Version(one.version) > Version(mine["seen"]) and not one.obstacle and one.version not in mine["unusable"]
        ]
        if not after:
            return False
        mine["pending"] = self.pending(after[-1], mine["seen"])
        return True

    def pending(self, version: str, against: str) -> dict[str, Any]:
        """Return a release at its first stage."""
        return {
            "version": version,
            "against": against,
            "identity": self.subject.identity,
            "stage": SCREEN,
            "found": [],
            "confirmed": None,
            "bisect": None,
        }

    def advance(self, mine: dict[str, Any]) -> bool:
        """One stage of the release in work; whether there may be more to do now."""
        now = mine["pending"]
        if now["identity"] != self.subject.identity:  # what is measured was changed in between
            now = mine["pending"] = self.pending(now["version"], now["against"])
        if now["stage"] == PERSIST and (due := self.due(now)):
            self.say(f"{self.title(now)}: {len(self.worse(now))} worse, to be measured again {due}")
            self.statuses.append(2)
            return False
        if not self.installed(mine, now):
            return True
        try:
            if now["stage"] == SAY:
                self.finish(mine, now)
            else:
                {SCREEN: self.screen, CONFIRM: self.confirm, PERSIST: self.persist, BISECT: self.bisect}[now["stage"]](
                    now
                )
        except OutOfTime:
            self.say(f"{self.title(now)}: time is up; rerun the command to resume")
            self.statuses.append(2)
            return False
        self.save()
        return True

    def installed(self, mine: dict[str, Any], now: dict[str, Any]) -> bool:
        """Make the environments; a release that cannot be had is reported once, and left out from then on."""
        try:
            self.subject.ends(now["against"], now["version"])
            self.subject.works(now["version"])
        except UserError as error:
            if any(reason in str(error) for reason in PASSING):
                raise
            self.subject.install(now["against"])  # else it is not the new one's fault
            mine["unusable"][now["version"]] = str(error)
            mine["pending"] = None
            self.tell(f"{self.title(now)}: cannot be compared: {error}")
            self.statuses.append(2)
            self.save()
            return False
        return True

    def title(self, now: Mapping[str, Any]) -> str:
        """Return what is compared."""
        return f"{self.subject.name} {now['against']} → {now['version']}"

    def screen(self, now: dict[str, Any]) -> None:
        """Measure a few rounds of everything."""
        limits = self.rules.limits
        self.measured(now, None, replace(limits, rounds=min(FEW, limits.rounds)))
        now["stage"] = CONFIRM if any(one.worse or one.open for one in self.found(now)) else SAY

    def confirm(self, now: dict[str, Any]) -> None:
        """Measure what is worse or unclear again, in rounds of their own."""
        self.measured(now, [one for one in self.found(now) if one.worse or one.open], self.rules.limits)
        now["confirmed"] = {"when": self.now().isoformat(timespec="seconds"), "host": platform.node()}
        now["stage"] = PERSIST if self.worse(now) else SAY

    def persist(self, now: dict[str, Any]) -> None:
        """Measure what is worse still, on another day."""
        self.measured(now, self.worse(now), self.rules.limits)
        now["stage"] = BISECT if any(map(searchable, self.worse(now))) and self.between(now)[1:-1] else SAY

    def bisect(self, now: dict[str, Any]) -> None:
        """Which of several releases did it."""
        limits = replace(self.rules.limits, minutes=self.minutes())
        targets = [one for one in self.worse(now) if searchable(one)]
        found = Bisection(self.subject, self.between(now), limits, self.say, given=targets).run()
        if found.stopped:
            raise OutOfTime
        now["bisect"] = outcome.in_words(found)
        now["stage"] = SAY

    def finish(self, mine: dict[str, Any], now: dict[str, Any]) -> None:
        """Say what came out: a page, the summary, a line. The state is kept last, so that a kill loses nothing; between
        the line and the state, it would be said again.
        """
        found, before, after = self.found(now), now["against"], now["version"]
        status = self.status(found)
        name = f"{file_name(self.subject.project, after, self.subject.label)}.html"
        said = f"{self.title(now)}: {MEANING[status]}: {counted(found)}."
        entry = {
            "name": self.subject.name,
            "version": after,
            "against": before,
            "released": self.releases[after].date,
            "said": self.now().date().isoformat(),
            "status": status,
            "worst": [one.text for one in found if one.worse][:MOST],
            "line": f"{said} {now['bisect']['conclusion']}" if now["bisect"] else said,
            "page": f"watch/{name}",
        }
        packages, links = changed(self.subject, before, after), self.subject.links(after)
        page = pages.page(entry, found, packages, links, now["bisect"])
        files.replace(self.subject.folder / entry["page"], page)
        mine["history"].append(entry)
        mine["seen"], mine["pending"] = after, None
        files.replace(self.subject.folder / "watch.html", pages.summary(self.every))
        self.tell(entry["line"])
        self.statuses.append(status)

    def due(self, now: Mapping[str, Any]) -> str:
        """When it is time to measure again; "" if it is now."""
        confirmed = now["confirmed"]
        then = datetime.fromisoformat(confirmed["when"]) + timedelta(hours=self.rules.apart)
        if confirmed["host"] != platform.node() or self.now() >= then:
            return ""
        return f"after {then.isoformat(timespec='minutes')}, or on another machine"

    def minutes(self) -> float:
        """Return what is left of the run's.

        Raises
        ------
        OutOfTime
            Nothing.
        """
        left = (self.until - time.monotonic()) / 60
        if left <= 0:
            raise OutOfTime
        return left

    def measured(self, now: dict[str, Any], which: Sequence[Found] | None, limits: Limits) -> None:
        """Measure a stage, and let what it found take the place of what was found before."""
        self.say(f"{self.title(now)}: {now['stage']}")
        old, new = now["against"], now["version"]
        asked: dict[Asked, float | None] | None = None
        if which is not None:
            asked = {(one.what, old, new): None for one in which}
        limits = replace(limits, minutes=self.minutes(), whole=True)
        found = self.subject.measure([old, new], asked, limits, now["stage"])
        known = {one.what: one for one in self.found(now)} | {what: one for (what, _, _), one in found.items()}
        now["found"] = [one.data() for one in worst_first(known.values())]

    def found(self, now: Mapping[str, Any]) -> list[Found]:
        """Return what is known of the release."""
        return [of_data(each) for each in now["found"]]

    def worse(self, now: Mapping[str, Any]) -> list[Found]:
        """Return what is worse in it."""
        return [one for one in self.found(now) if one.worse]

    def between(self, now: Mapping[str, Any]) -> list[Release]:
        """Return the releases from the last one seen to the new one, without those that cannot be measured."""
        first, last = Version(now["against"]), Version(now["version"])
        inside = [one for one in self.releases.values() if first < Version(one.version) < last and not one.obstacle]
        return [self.releases[now["against"]], *inside, self.releases[now["version"]]]

    def status(self, comparisons: Sequence[Found]) -> int:
        """As that of an upgrade."""
        return exit_status(comparisons, self.rules.unclear)
