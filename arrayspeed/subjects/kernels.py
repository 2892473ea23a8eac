"""Versions of a library in our kernels."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from asv.config import Config
from asv.environment import Environment

from arrayspeed.decide import LOOKS, UNCLEAR_SHARE
from arrayspeed.environments import interpreters, pythons
from arrayspeed.environments.keep import keep
from arrayspeed.environments.listed import Python, Release, releases, within_reach
from arrayspeed.environments.machine import describe
from arrayspeed.environments.plugin import wheels
from arrayspeed.environments.uv import Uv
from arrayspeed.formats.progress import clock
from arrayspeed.formats.progress import say as to_stderr
from arrayspeed.measure.block_results import stored
from arrayspeed.measure.blocks import expected, fits
from arrayspeed.measure.host import only_run
from arrayspeed.measure.loaded import of_environments
from arrayspeed.measure.looking import Limits
from arrayspeed.measure.plan import Selection
from arrayspeed.measure.selections import in_tier_only
from arrayspeed.measure.session import Session, open_session
from arrayspeed.measure.tiers import DEFAULT
from arrayspeed.measure.until_decided import until_decided
from arrayspeed.model.errors import UserError
from arrayspeed.model.libraries import bare
from arrayspeed.model.text import digest, printable
from arrayspeed.model.units import plural
from arrayspeed.records.loaded import of as stored_loaded
from arrayspeed.subjects.found import Asked, Found
from arrayspeed.subjects.questions import Questions, split
from arrayspeed.subjects.subject import links_of
from arrayspeed.system.missing import sentence
from arrayspeed.upgrades import compare, pair
from arrayspeed.upgrades.compare import Collected
from arrayspeed.upgrades.reuse import reused
from arrayspeed.upgrades.verdict import verdict
from arrayspeed.verdict.loaded import note
from arrayspeed.verdict.verdict import Side, Verdict
from kernels.kernel import TIERS

#: Rounds for which there must be time: what is said when time is up rests on no fewer.
ENOUGH = 3


class Kernels:
    """See `arrayspeed.subjects.subject.Subject`. A side is a version.

    Parameters
    ----------
    config
        asv's configuration.
    library
        The library, or Python.
    selections
        What is measured.
    companions
        Further requirements of all sides.
    python
        The Python of all sides, or of each; by default that of the library's own environments.
    wait
        Wait for another measurement on this machine to end.
    say
        Is told of the Python that was chosen.
    fitting
        A verdict is of the largest tier that the minutes are enough for.
    """

    label = "kernels"

    unit = "release"

    def __init__(
        self,
        config: Config,
        library: str,
        selections: Sequence[Selection],
        companions: Sequence[str] = (),
        python: Sequence[str] = (),
        wait: bool = False,
        say: Callable[[str], None] = to_stderr,
        fitting: bool = False,
    ) -> None:
        self.fitting = fitting
        pair.check_versions(library)
        self.config, self.name, self.selections, self.wait, self.say = config, library, list(selections), wait, say
        self.companions, self.pins = list(companions), list(companions)
        template = pair.template(config, library)
        key = next((name for name in template["req"] if bare(name) == library), library)
        self.project = key.removeprefix("pip+").split("[")[0].strip()
        for each in python:
            interpreters.check(each)
        self.asked = list(python)
        self.chosen = self.asked or [template["python"]]
        self.settled: list[str] = []
        self.pythons: Sequence[Python] = within_reach(self.asked[0] if self.asked else None)
        self.folder = Path(config.results_dir)
        self.identity = digest(library, self.companions, self.asked, list(map(repr, self.selections)))
        self.wheels = wheels(config.env_dir)
        self.uv = Uv(self.wheels)
        self.environments: dict[str, Environment] = {}

    def releases(self, early: bool = False) -> list[Release]:
        """Of the index."""
        return releases(self.project, self.say, early, self.pythons, self.uv)

    def running(self, version: str) -> list[str]:
        """With the companions of asv.conf.json."""
        (wanted,) = pair.requirements_of(self.config, self.name, [version], self.companions).values()
        return pythons.supporting(self.uv, wanted)

    def choose(self, old: str, new: str) -> None:
        """Choose that of the library's own environments, or the newest that runs both; asked for the same two again, it
        is known.
        """
        if self.settled == [old, new]:
            return
        before = self.chosen
        self.chosen, self.pins = pair.settled(self.config, self.name, [old, new], self.companions, self.say, self.asked)
        self.settled = [old, new]
        if self.chosen != before:
            self.environments = {}

    def ends(self, old: str, new: str) -> None:
        """Both ends, with the companions of asv.conf.json."""
        self.choose(old, new)
        self.session([old, new])

    def install(self, version: str) -> None:
        """Install a release, with the same companions."""
        if version not in self.environments:
            self.session([version])

    def works(self, version: str) -> None:
        """asv found the benchmarks there when the environment was made."""

    def session(self, versions: Sequence[str]) -> Session:
        """asv's objects for some releases, in their order."""
        config = pair.several(self.config, self.name, versions, self.pins, self.chosen[:1] * len(versions))
        session = open_session(config, self.selections)
        for env in session.environments.values():
            keep(self.uv, env.find_executable("python"), env.packages(), self.wheels, self.say)
        if len(session.environments) != len(versions):
            raise UserError(f"nothing that is selected runs in every release of {self.name}")
        self.environments |= dict(zip(versions, session.environments.values(), strict=True))
        return session

    def two(self, old: str, new: str) -> Config:
        """asv's configuration for two versions, of which either may have a Python of its own; two copies of one."""
        self.choose(old, new)
        return pair.pair_config(self.config, self.name, old, new, self.pins, self.chosen)

    def verdict(self, sides: Sequence[str], limits: Limits, unclear: float = UNCLEAR_SHARE) -> Verdict:
        """Compare two versions, which are measured anew."""
        old, new = sides
        pair.check_versions(self.name, old, new)
        config = self.two(old, new)
        with only_run(self.folder, self.wait):
            session = open_session(config, self.selections)
            chosen = self.within(session, limits.minutes) if self.fitting else self.selections
            rows = compare.measure(session, chosen, limits)
            loaded = of_environments(session, [row.one.backend for row in rows if row.one.backend])
        packages = [env.packages() for env in session.environments.values()]
        found = self.verdict_of(sides, rows, session.machine["machine"], packages, limits, unclear, loaded)
        return replace(found, notes=[*found.notes, *filter(None, [sentence()])])

    def within(self, session: Session, minutes: float) -> list[Selection]:
        """Return what of the selections is measured in so many minutes: the largest tier of which they are enough for
        `ENOUGH` rounds, or the smallest tier at small sizes.
        """
        small = [replace(one, sizes=one.sizes and ["small"]) for one in in_tier_only(self.selections, TIERS[0])]
        choices = {
            f"the {DEFAULT} tier": in_tier_only(self.selections, DEFAULT),
            f"the {TIERS[0]} tier": in_tier_only(self.selections, TIERS[0]),
            f"the {TIERS[0]} tier at small sizes": small,
        }
        first, *_ = choices
        for name, chosen in choices.items():
            blocks = [*compare.blocks_for(session, chosen, "").values()]
            if fits(blocks, ENOUGH, 60 * minutes):
                break
            if name == first:
                more = clock(expected(blocks, LOOKS[0]))
        if name != first:
            self.say(f"{name}, to be done in {minutes:g} minutes; --tier {DEFAULT} takes {more} to its first look")
        return chosen

    def stored(self, sides: Sequence[str], machine: str | None, limits: Limits, unclear: float) -> Verdict:
        """Compare what is stored of two versions, of today's code.

        Raises
        ------
        UserError
            Nothing of the kind is stored of both.
        """
        old, new = sides
        pair.check_versions(self.name, old, new)
        machine = machine or describe()["machine"]
        found = reused(self.config, self.name, (old, new), self.companions, self.asked, machine, self.selections)
        self.chosen = found.pythons
        if found.out_of_date:
            what = plural(found.out_of_date, "comparison")
            self.say(f"left out: {what} measured by other code (arrayspeed run --stale --machine {printable(machine)})")
        loaded = [stored_loaded(Path(self.config.results_dir, machine), name) for name in found.environments]
        rows = compare.judge_stored(found.known, limits)
        return self.verdict_of(sides, rows, machine, found.packages, limits, unclear, loaded)

    def verdict_of(
        self,
        sides: Sequence[str],
        rows: Sequence[compare.Row],
        machine: str,
        packages: Sequence[Mapping[str, str]],
        limits: Limits,
        unclear: float,
        loaded: Sequence[list[dict[str, Any]] | None],
    ) -> Verdict:
        """Return the verdict of two versions; ``loaded``: which BLAS and OpenMP each of them loads."""
        both = sides_of(sides, self.chosen, packages)
        old, new = (replace(side, loaded=each or ()) for side, each in zip(both, loaded, strict=True))
        others = pair.packages_that_differ(self.name, packages, self.chosen)
        found = verdict(self.name, (old, new), rows, machine, limits, others, unclear)
        return replace(found, notes=[*found.notes, *filter(None, [note(loaded)])])

    def measure(
        self, versions: Sequence[str], asked: Mapping[Asked, float | None] | None, limits: Limits, stage: str
    ) -> dict[Asked, Found]:
        """Measure kernels."""
        with only_run(self.folder, self.wait):
            session = self.session(versions)
            wanted = None if asked is None else {split(what)[0] for what, _, _ in asked}
            run = digest(self.identity, stage, list(versions))
            blocks = compare.blocks_for(session, self.selections, run, wanted)
            if asked is not None and not blocks:
                return {}
            names = dict(zip(versions, session.environments, strict=True))
            pairs: Mapping[Asked, float | None] = (
                asked if asked is not None else {(what, versions[0], versions[1]): None for what in blocks}
            )
            collected = Collected(blocks, stored(session, {one.name: one for one in blocks.values()}))
            questions = Questions(pairs, collected, names)
            decisions = until_decided(
                session,
                blocks,
                collected.take,
                lambda: questions.observed(limits.factor),
                limits,
                collected.finished,
                retained=collected.retained,
            )
        return questions.found(decisions, limits.factor)

    def packages(self, version: str) -> dict[str, str]:
        """As they were recorded."""
        packages: dict[str, str] = self.environments[version].packages()
        return packages

    def links(self, version: str) -> dict[str, str]:
        """From the installed metadata."""
        return links_of(Path(self.environments[version]._path), self.project)


def sides_of(
    versions: Sequence[str], pythons: Sequence[str], packages: Sequence[Mapping[str, str]]
) -> tuple[Side, Side]:
    """Return both sides, with labels that differ."""
    labels = versions if versions[0] != versions[1] else [versions[0], f"{versions[1]} (copy 2)"]
    old, new = (Side(*each) for each in zip(labels, pythons, packages, strict=True))
    return old, new
