"""Releases of a library in our kernels."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path
from typing import Any

from asv.config import Config
from asv.environment import Environment

from arrayspeed.decide import Decision, Observed
from arrayspeed.decide.observed import halfway
from arrayspeed.environments import pythons
from arrayspeed.environments.plugin import wheels
from arrayspeed.environments.uv import Uv
from arrayspeed.measure.blocks import Block, blocks_of
from arrayspeed.measure.host import only_run
from arrayspeed.measure.plan import Selection, combinations
from arrayspeed.measure.session import Session, open_session
from arrayspeed.measure.until_decided import Limits, until_decided
from arrayspeed.model.combination import Combination
from arrayspeed.model.errors import UserError
from arrayspeed.model.libraries import bare
from arrayspeed.model.measures import measure_of
from arrayspeed.model.units import human
from arrayspeed.records.measures import observed_of_sides
from arrayspeed.records.processes import Process
from arrayspeed.releases.found import Asked, Found, What, of_decision
from arrayspeed.releases.keep import keep
from arrayspeed.releases.listed import Python, within_reach
from arrayspeed.releases.state import digest
from arrayspeed.releases.subject import links_of
from arrayspeed.upgrade import compare, pair
from arrayspeed.versions.releases import stored


class Suite:
    """See `arrayspeed.releases.subject.Subject`."""

    def __init__(
        self,
        config: Config,
        library: str,
        selections: Sequence[Selection],
        companions: Sequence[str] = (),
        wait: bool = False,
        python: str | None = None,
    ) -> None:
        self.config, self.name, self.selections, self.wait = config, library, list(selections), wait
        self.companions = list(companions)
        self.template = pair.template(config, library)
        key = next(name for name in self.template["req"] if bare(name) == library)
        self.project = key.removeprefix("pip+").split("[")[0].strip()
        self.asked = [python] if python else []
        self.python = python or self.template["python"]
        self.pythons: Sequence[Python] = within_reach(python)
        self.folder = Path(config.results_dir)
        self.identity = digest(library, self.companions, python, list(map(repr, self.selections)))
        self.label = "kernels"
        self.wheels = wheels(config.env_dir)
        self.uv = Uv(self.wheels)
        self.environments: dict[str, Environment] = {}

    def session(self, versions: Sequence[str]) -> Session:
        """asv's objects for some releases, in their order."""
        with redirect_stdout(sys.stderr):
            config = pair.several(self.config, self.name, versions, self.companions, [self.python] * len(versions))
            session = open_session(config, self.selections)
            for env in session.environments.values():
                keep(self.uv, env.find_executable("python"), env.packages(), self.wheels, print)
        if len(session.environments) != len(versions):
            raise UserError(f"nothing that is selected runs in every release of {self.name}")
        self.environments |= dict(zip(versions, session.environments.values(), strict=True))
        return session

    def running(self, version: str) -> list[str]:
        """With the companions of asv.conf.json."""
        (wanted,) = pair.requirements_of(self.config, self.name, [version], self.companions).values()
        return pythons.supporting(self.uv, wanted)

    def choose(self, old: str, new: str) -> None:
        """That of the library's own environments, or the newest that runs both."""
        with redirect_stdout(sys.stderr):
            found, _ = pair.pythons_of(self.config, self.name, [old, new], self.companions, print, self.asked)
        if found != self.python:
            self.python, self.environments = found, {}

    def ends(self, old: str, new: str) -> None:
        """Both ends, with the companions of asv.conf.json."""
        self.choose(old, new)
        self.session([old, new])

    def install(self, version: str) -> None:
        """A release, with the same companions."""
        if version not in self.environments:
            self.session([version])

    def works(self, version: str) -> None:
        """asv found the benchmarks there when the environment was made."""

    def measure(
        self, versions: Sequence[str], asked: Mapping[Asked, float | None] | None, limits: Limits, stage: str
    ) -> dict[Asked, Found]:
        """Measure kernels."""
        with redirect_stdout(sys.stderr), only_run(self.folder, self.wait):
            session = self.session(versions)
            every = dict.fromkeys(one for selection in self.selections for one in combinations(session, selection))
            wanted = None if asked is None else {what for what, _, _ in asked}
            run = digest(self.identity, stage, list(versions))
            blocks: dict[What, Block] = {
                compare.key(one.one): one.with_first(measure_of(one.one.measure).rounds)
                for one in blocks_of(every, list(session.environments), run)
                if len(one.sides) == len(versions) and (wanted is None or compare.key(one.one) in wanted)
            }
            if asked is not None and not blocks:
                return {}
            names = dict(zip(versions, session.environments, strict=True))
            pairs: Mapping[Asked, float | None] = (
                asked if asked is not None else {(what, versions[0], versions[1]): None for what in blocks}
            )
            by_name = {one.name: where for where, one in blocks.items()}
            taken = {
                by_name[name]: ones for name, ones in stored(session, {b.name: b for b in blocks.values()}).items()
            }
            before = {where: len({process.round for process in ones}) for where, ones in taken.items()}

            def take(block: Block, played: list[Process]) -> None:
                taken[by_name[block.name]].extend(played)

            def observed() -> dict[tuple[What, tuple[Any, str]], Observed]:
                return observed_of(taken, pairs, names)

            decisions = until_decided(session, blocks, take, observed, limits, before)
        return found_of(taken, observed(), decisions)

    def packages(self, version: str) -> dict[str, str]:
        """As they were recorded."""
        packages: dict[str, str] = self.environments[version].packages()
        return packages

    def links(self, version: str) -> dict[str, str]:
        """From the installed metadata."""
        return links_of(Path(self.environments[version]._path), self.project)


def name_of(one: Combination) -> str:
    """A combination, as people call it."""
    size = "" if one.size is None else f"({one.size:,})"
    return f"{one.kernel}{size} {one.backend} {measure_of(one.measure).short}"


def found_of(
    taken: Mapping[What, Sequence[Process]],
    seen: Mapping[tuple[What, tuple[Any, str]], Observed],
    decisions: Mapping[tuple[What, tuple[Any, str]], Decision],
) -> dict[Asked, Found]:
    """Decisions in words; of what fails, with the reason that a process gave."""
    found = {}
    for (what, both), decision in decisions.items():
        one = taken[what][0].one
        sides = seen[what, both].reference, seen[what, both].subject
        values = [seen[what, both].middle(side) for side in sides]
        why = next((process.why for process in taken[what] if process.why), "") if None in values else ""
        old, new = (human(value, one.measure) for value in values)
        found[what, *both] = of_decision(what, name_of(one), decision, old, new, why)
    return found


def observed_of(
    taken: Mapping[What, Sequence[Process]], asked: Mapping[Asked, float | None], names: Mapping[str, str]
) -> dict[tuple[What, tuple[Any, str]], Observed]:
    """The comparisons that are asked for, by block and pair of releases; a ratio that is given takes the place of all
    else that they are judged by.
    """
    found = {}
    for (what, old, new), factor in asked.items():
        of = defaultdict(list)
        for process in taken.get(what, ()):
            of[process.one.environment].append(process)
        sides = [of[names[each]] for each in ((old,) if isinstance(old, str) else old)]
        if of[names[new]] and all(sides):
            one = observed_of_sides(sides[0], of[names[new]])
            if len(sides) > 1:
                other = observed_of_sides(sides[1], of[names[new]]).reference
                both = {n: halfway(value, other.get(n), one.lift) for n, value in one.reference.items()}
                one = replace(one, reference=both)
            found[what, (old, new)] = one if factor is None else replace(one, factor=factor, least=0.0)
    return found
