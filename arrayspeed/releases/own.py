"""Releases of any package in somebody's own code."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from packaging.specifiers import SpecifierSet

from arrayspeed.environments import pythons
from arrayspeed.environments.uv import Uv
from arrayspeed.measure.host import only_run
from arrayspeed.measure.until_decided import Limits
from arrayspeed.model.errors import UserError
from arrayspeed.model.text import file_name
from arrayspeed.own.compared import Wanted, chosen, look, records_of
from arrayspeed.own.environments import WHEELS, environment, interpreters_of
from arrayspeed.own.measures import RESULT, Key, asked_of, observed
from arrayspeed.own.resolve import name_of, preferring, requirements_of, resolve
from arrayspeed.own.rounds import Plan, first_look
from arrayspeed.own.script import Script
from arrayspeed.own.sides import Ready, Side, of_versions
from arrayspeed.own.until_decided import until_decided
from arrayspeed.own.verdict import Row, reason, result_rows
from arrayspeed.releases.found import Asked, Found, What, of_decision
from arrayspeed.releases.keep import keep
from arrayspeed.releases.listed import Python, within_reach
from arrayspeed.releases.state import digest
from arrayspeed.releases.subject import links_of


class OwnCode:
    """See `arrayspeed.releases.subject.Subject`."""

    def __init__(
        self, script: Script, name: str, wanted: Wanted, python: str | None, say: Callable[[str], None]
    ) -> None:
        self.script, self.wanted, self.say, self.version = script, wanted, say, python
        self.name, self.project, self.folder = name, name_of(name), wanted.folder
        self.wheels = wanted.folder / WHEELS
        self.uv = Uv(self.wheels)
        self.pythons: Sequence[Python] = within_reach(python)
        self.interpreter = ""
        choice = [wanted.functions, wanted.sizes, wanted.companions, wanted.tolerance, wanted.turns.timeout]
        self.identity = digest(script.digest, script.kind, python, choice)
        self.label = file_name(script.kind if script.command else script.path.stem)
        self.pins: list[str] = []
        self.ready: dict[str, Ready] = {}

    def side(self, version: str) -> Side:
        """A release as a side."""
        return replace(of_versions(self.name, [version])[0], python=self.version)

    @property
    def dependencies(self) -> list[str]:
        """What all releases get besides, and the file's own dependencies that this does not name."""
        named = {name_of(text) for text in self.wanted.companions}
        return [*self.wanted.companions, *(text for text in self.script.dependencies if name_of(text) not in named)]

    def running(self, version: str) -> list[str]:
        """Those that the file allows, too."""
        wanted = requirements_of(self.uv, self.side(version), self.dependencies)
        return pythons.supporting(self.uv, wanted, SpecifierSet(self.script.python))

    def choose(self, old: str, new: str) -> None:
        """One Python for both, which the file allows."""
        sides = [self.side(old), self.side(new)]
        found = interpreters_of(self.uv, sides, self.script, self.dependencies, self.say)[0]
        if found != self.interpreter:
            self.interpreter, self.ready = found, {}

    def ends(self, old: str, new: str) -> None:
        """Both ends; every other release is kept as near to the old one's packages as it allows."""
        self.choose(old, new)
        sides = [self.side(old), self.side(new)]
        pins = resolve(self.uv, sides, [self.interpreter] * 2, self.dependencies)
        self.pins = pins[0]
        for version, side, each in zip((old, new), sides, pins, strict=True):
            self.ready[version] = self.made(side, each)

    def install(self, version: str) -> None:
        """A release between them."""
        if version in self.ready:
            return
        side = self.side(version)
        wanted = requirements_of(self.uv, side, self.dependencies)
        self.ready[version] = self.made(side, preferring(self.uv, side, self.interpreter, wanted, self.pins))

    def works(self, version: str) -> None:
        """Whether the file can be imported."""
        if self.script.command:
            return
        one = self.ready[version]
        answer = first_look([one], self.script, self.wanted.turns.timeout)[one.label]
        if "failed" in answer:
            raise UserError(f"{self.script.name} cannot be imported with {one.label}: {answer['failed']}")

    def made(self, side: Side, pins: list[str]) -> Ready:
        """An environment."""
        found = environment(self.uv, side, self.interpreter, pins, self.folder / "environments", self.say)
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
            what: What = key[:3]
            new = labels[one[2]]
            why = reason(records, what[0], what[1], [labels[each] for each in versions]) if what[0] else ""
            row = Row(what[0], what[1], what[2], new, decision.verdict, decision, seen[key], why)
            made = of_decision(one[0], name_of_row(row), decision, *row.values, why)
            if row.negligible:  # the ratio that was judged is that of the value below which all are alike
                made = replace(made, ratio=None, low=None, high=None, detail=row.change)
            found[one] = made
        for (function, size), pair in results_asked(items, keys, versions):
            for row in result_rows(records, function, size, labels[pair[1]]):
                what = (function, size, RESULT)
                found[what, *pair] = Found(
                    what, name_of_row(row), row.verdict, old=row.values[0], new=row.values[1], detail=row.detail
                )
        return found

    def packages(self, version: str) -> dict[str, str]:
        """As they were installed."""
        return dict(self.ready[version].packages)

    def links(self, version: str) -> dict[str, str]:
        """From the installed metadata."""
        return links_of(Path(self.ready[version].executable).parent.parent, self.project)


def key_of(asked: Asked, labels: Mapping[str, str]) -> Key:
    """A comparison as `arrayspeed.own.measures` keys it."""
    what, old, new = asked
    function, size, measure = what
    reference = labels[old] if isinstance(old, str) else (labels[old[0]], labels[old[1]])
    return function, size, measure, (reference, labels[new])


def name_of_row(row: Row) -> str:
    """What people call it: ``solve(100) time``."""
    return row.name if row.function is None else f"{row.name} {row.title}"


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
