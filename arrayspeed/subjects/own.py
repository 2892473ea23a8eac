"""Somebody's own code on sides of any kind, and releases of any package there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from packaging.specifiers import SpecifierSet

from arrayspeed.decide import UNCLEAR_SHARE
from arrayspeed.environments import interpreters, pythons
from arrayspeed.environments.keep import keep
from arrayspeed.environments.listed import Python, Release, releases, within_reach
from arrayspeed.environments.requirements import name_of
from arrayspeed.environments.resolve import Requested, preferring, resolve
from arrayspeed.environments.uv import Uv
from arrayspeed.measure.host import keep_state, only_run
from arrayspeed.measure.looking import Limits
from arrayspeed.model.errors import UserError
from arrayspeed.model.text import digest, file_name
from arrayspeed.own.compared import Wanted, chosen, compare, look, records_of
from arrayspeed.own.environments import WHEELS, environment, interpreters_of, requested_of
from arrayspeed.own.measures import Key, asked_of, observed
from arrayspeed.own.rounds import Plan, first_look
from arrayspeed.own.script import Script
from arrayspeed.own.sides import KINDS, Ready, Side, of_library, with_unique_labels
from arrayspeed.own.until_decided import until_decided
from arrayspeed.own.verdict import result_rows, row_of
from arrayspeed.subjects.found import Asked, Found, What, of_row
from arrayspeed.subjects.subject import links_of
from arrayspeed.verdict.verdict import RESULT, Verdict


class OwnCode:
    """See `arrayspeed.subjects.subject.Subject`."""

    unit = "release"

    def __init__(
        self, script: Script, name: str, wanted: Wanted, python: str | None, say: Callable[[str], None]
    ) -> None:
        self.script, self.wanted, self.say, self.version = script, wanted, say, python
        self.name, self.project, self.folder = name, name_of(name), wanted.folder
        self.wheels = wanted.folder / WHEELS
        self.uv = Uv(self.wheels)
        self.pythons: Sequence[Python] = within_reach(python)
        self.interpreter, self.ends_of = "", ("", "")
        choice = [wanted.functions, wanted.sizes, wanted.companions, wanted.tolerance, wanted.turns.timeout]
        asked = [dict(script.asked)] if script.asked else []
        self.identity = digest(script.digest, script.kind, python, [*choice, *asked])
        self.label = file_name(script.stem)
        self.pins: list[str] = []
        self.ready: dict[str, Ready] = {}

    def verdict(
        self, sides: Sequence[Side], limits: Limits, unclear: float = UNCLEAR_SHARE, every_pair: bool = False
    ) -> Verdict:
        """Compare sides of any kind; ``every_pair``: with each other, to find the fastest."""
        wanted = replace(self.wanted, limits=limits, unclear=unclear, every_pair=every_pair)
        return compare(self.script, with_unique_labels(sides), wanted, self.say)

    def releases(self, early: bool = False) -> list[Release]:
        """Of the index, or of what else has versions."""
        if self.name in KINDS:
            return KINDS[self.name].releases()
        return releases(self.project, self.say, early, self.pythons, self.uv)

    def side(self, version: str) -> Side:
        """Return a release as a side."""
        return of_library(self.name, [version], [self.version] if self.version else [])[0]

    def asked(self, version: str) -> Requested:
        """Return what a release asks for."""
        return requested_of(self.uv, self.side(version), self.dependencies)

    @property
    def dependencies(self) -> list[str]:
        """What all releases get besides, and the file's own dependencies that this does not name."""
        named = {name_of(text) for text in self.wanted.companions}
        return [*self.wanted.companions, *(text for text in self.script.dependencies if name_of(text) not in named)]

    def running(self, version: str) -> list[str]:
        """Those that the file allows, too."""
        able = pythons.supporting(self.uv, self.asked(version).every, SpecifierSet(self.script.python))
        own = self.side(version).python
        return [name for name in able if own in (None, name)]

    def choose(self, old: str, new: str) -> None:
        """One Python for both, which the file allows; asked for the same two again, it is known."""
        if (old, new) == self.ends_of:
            return
        sides = [self.side(old), self.side(new)]
        found = interpreters_of(self.uv, sides, self.script, self.dependencies, self.say)[0]
        if found != self.interpreter:
            self.interpreter, self.ready = found, {}
        self.ends_of = old, new

    def ends(self, old: str, new: str) -> None:
        """Both ends; every other release is kept as near to the old one's packages as it allows."""
        self.choose(old, new)
        sides = [self.side(old), self.side(new)]
        pins = resolve(self.uv, [self.asked(old), self.asked(new)], list(map(self.program, sides)))
        self.pins = pins[0]
        for version, side, each in zip((old, new), sides, pins, strict=True):
            self.ready[version] = self.made(side, each)

    def program(self, side: Side) -> str:
        """Return the interpreter of a side: its own, or that of all."""
        return interpreters.get(side.python, self.say, self.uv).path if side.python else self.interpreter

    def install(self, version: str) -> None:
        """Install a release between them."""
        if version in self.ready:
            return
        side = self.side(version)
        pins = preferring(self.uv, self.asked(version), self.program(side), self.pins)
        self.ready[version] = self.made(side, pins)

    def works(self, version: str) -> None:
        """Whether the file can be imported."""
        if not self.script.has_file:
            return
        one = self.ready[version]
        answer = first_look([one], self.script, self.wanted.turns.timeout)[one.label]
        if "failed" in answer:
            raise UserError(f"{self.script.name} cannot be imported with {one.label}: {answer['failed']}")

    def made(self, side: Side, pins: list[str]) -> Ready:
        """Return an environment."""
        program = self.program(side)
        found = environment(self.uv, side, program, pins, self.folder / "environments", self.say)
        if side.build is None:  # no index has what was built of a commit
            keep(self.uv, found.executable, found.packages, self.wheels, self.say)
        return found

    def measure(
        self, versions: Sequence[str], asked: Mapping[Asked, float | None] | None, limits: Limits, stage: str
    ) -> dict[Asked, Found]:
        """Measure functions of the file."""
        sides = [self.ready[version] for version in versions]
        labels = {version: one.label for version, one in zip(versions, sides, strict=True)}
        keys = None if asked is None else {key_of(one, labels): one for one in asked}
        wanted = replace(self.wanted, limits=limits, again=False)
        with only_run(self.folder, wanted.wait):
            keep_state(self.folder)
            answers = look(self.script, sides, wanted)
            items = chosen(self.script, sides, answers, wanted)
            if keys is not None:
                items = [item for item in items if any(key[:2] == item for key in keys)]
            records = records_of(self.script, sides, answers, wanted, stage=stage)
            plan = Plan(wanted.turns, wanted.tolerance)
            judged = None if keys is None or asked is None else {key: asked[one] for key, one in keys.items()}
            decisions = until_decided(sides, self.script, items, records, limits, plan, asked=judged)
        seen = (
            observed(records, items, records.rounds, limits.factor)
            if judged is None
            else asked_of(records, records.rounds, judged, limits.factor)
        )
        found = {}
        for key, decision in decisions.items():
            one = keys[key] if keys is not None else (key[:3], versions[0], versions[1])
            new = labels[one[2]]
            both = (labels[one[1]] if isinstance(one[1], str) else labels[versions[0]], new)
            found[one] = of_row(one[0], row_of(records, key[:3], both, decision, seen[key]))
        for (function, size), pair in results_asked(items, keys, versions):
            for row in result_rows(records, function, size, labels[pair[1]]):
                what = (function, size, RESULT)
                found[what, *pair] = of_row(what, row)
        return found

    def packages(self, version: str) -> dict[str, str]:
        """As they were installed."""
        return dict(self.ready[version].packages)

    def links(self, version: str) -> dict[str, str]:
        """From the installed metadata."""
        return links_of(Path(self.ready[version].executable).parent.parent, self.project)


def key_of(asked: Asked, labels: Mapping[str, str]) -> Key:
    """Return a comparison as `arrayspeed.own.measures` keys it."""
    what, old, new = asked
    function, size, measure = what
    reference = labels[old] if isinstance(old, str) else (labels[old[0]], labels[old[1]])
    return function, size, measure, (reference, labels[new])


def results_asked(
    items: Sequence[What], keys: Mapping[Key, Asked] | None, versions: Sequence[str]
) -> list[tuple[What, tuple[str, str]]]:
    """Of which functions and pairs the results are asked for; they are compared with the first release alone."""
    if keys is None:
        return [(item, (versions[0], versions[1])) for item in items]
    return [
        (key[:2], (versions[0], one[2]))
        for key, one in keys.items()
        if key[2] == RESULT and one[1] == versions[0] and key[:2] in items
    ]
