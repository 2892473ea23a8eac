"""Which stored values are out of date: what they depend on is not what it was when they were measured."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from asv import environment
from asv.config import Config

from arrayspeed.environments.machine import describe
from arrayspeed.measure.plan import Selection, selected, wanted
from arrayspeed.model.combination import Combination
from arrayspeed.records import processes
from arrayspeed.records.fingerprints import PARTS, changed
from arrayspeed.records.results import result_commits

#: What is said of values that were stored without a fingerprint.
UNKNOWN = "measured before it was recorded what a value depends on"

#: Benchmark, backend, size and device.
Place = tuple[str, str, int | None, str | None]


@dataclass(frozen=True)
class Stale:
    """Values of one environment that are out of date for one reason."""

    environment: str
    why: str
    ones: tuple[Combination, ...]

    @property
    def kernels(self) -> list[str]:
        """Their kernels, in the order in which they were found."""
        return list(dict.fromkeys(one.kernel for one in self.ones))


def stale(config: Config, selection: Selection) -> tuple[list[Stale], int]:
    """This machine's values that are out of date, and how many were looked at; of each combination,
    the newest counts.
    """
    machine = describe()["machine"]
    commits = result_commits(config.results_dir, machine)
    found: dict[tuple[str, str], list[Combination]] = defaultdict(list)
    count = 0
    for env in environment.get_environments(config, None):
        if not selected(env, selection):
            continue
        packages = packages_of(env)
        for one, before in newest(config.results_dir, machine, env.name, commits):
            if not wanted(one, selection):
                continue
            count += 1
            if why := reason(one, before, packages):
                found[env.name, why].append(one)
    return [Stale(name, why, tuple(ones)) for (name, why), ones in found.items()], count


def packages_of(env: environment.Environment) -> dict[str, str] | None:
    """An environment's packages; None where it is not made, so that nothing is known of them."""
    return env.packages() if env.check_presence() else None


def newest(folder: str | Path, machine: str, name: str, commits: list[str]) -> Iterator[tuple[Combination, str | None]]:
    """Each combination of an environment that has a value at some commits, and the fingerprint of the newest."""
    found: dict[Place, processes.Process] = {}
    for process in processes.load(folder, machine, name, commits):
        where = place(process.one)
        if process.value is not None and (where not in found or found[where].date <= process.date):
            found[where] = process
    return ((process.one, process.fingerprint) for process in found.values())


def place(one: Combination) -> Place:
    """What tells combinations of an environment apart, whichever index asv gave them."""
    return one.benchmark, one.backend, one.size, one.device


def reason(one: Combination, before: str | None, packages: Mapping[str, str] | None) -> str | None:
    """Why a value is out of date, or None."""
    if before is None:
        return UNKNOWN
    parts = [part for part in PARTS if part != "packages" or packages is not None]
    differ = changed(before, one, packages or {}, parts)
    return f"changed: {', '.join(differ)}" if differ else None
