"""Which stored values are out of date: what they depend on is not what it was when they were measured."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from asv import environment
from asv.config import Config

from arrayspeed.environments.existing import versions
from arrayspeed.environments.machine import describe
from arrayspeed.environments.plugin import stored_packages
from arrayspeed.measure.plan import Selection, selected, wanted
from arrayspeed.model.combination import Combination
from arrayspeed.model.errors import UserError
from arrayspeed.model.libraries import PYTHON, SUBJECT, compares_python
from arrayspeed.model.text import printable
from arrayspeed.records import processes
from arrayspeed.records.fingerprints import PARTS, changed
from arrayspeed.records.results import result_commits

#: What is said of values that were stored without a fingerprint.
UNKNOWN = "measured before it was recorded what a value depends on"

#: Page faults of a call: with fewer, nothing had been given back to the system. glibc gives back 128 KiB at least,
#: which is 32 pages (M_MMAP_THRESHOLD and M_TRIM_THRESHOLD in mallopt(3)).
FEW_FAULTS = 32


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


@dataclass(frozen=True)
class Stored:
    """An environment of which there are results, and perhaps nothing else here."""

    name: str
    requirements: Mapping[str, str]

    @property
    def env_vars(self) -> Mapping[str, str]:
        """As its name has them: whether it is there to compare Python."""
        return {SUBJECT: PYTHON} if compares_python(self.name) else {}


def stale(config: Config, selection: Selection, machine: str | None = None) -> tuple[list[Stale], int]:
    """Values that are out of date, and how many were looked at; of each combination, the newest counts.

    Parameters
    ----------
    config, selection
        Where, and of what.
    machine
        Whose values: of a machine that is named, those of all its environments, whose packages count as they were. By
        default this machine's, of the environments in the configuration, with the packages that these have now.

    Raises
    ------
    UserError
        There are no results of that machine.
    """
    whose = machine or describe()["machine"]
    commits = result_commits(config.results_dir, whose)
    environments = environment.get_environments(config, None) if machine is None else stored(config, machine, commits)
    found: dict[tuple[str, str], list[Combination]] = defaultdict(list)
    count = 0
    for env in environments:
        if not selected(env, selection):
            continue
        packages, alike = (None, []) if isinstance(env, Stored) else packages_of(env)
        for one, before, kept in newest(config.results_dir, whose, env.name, commits):
            if not wanted(one, selection):
                continue
            count += 1
            if why := reason(one, before, kept, packages, alike):
                found[env.name, why].append(one)
    return [Stale(name, why, tuple(ones)) for (name, why), ones in found.items()], count


def stored(config: Config, machine: str, commits: list[str]) -> list[Stored]:
    """Return the environments of which a machine has results.

    Raises
    ------
    UserError
        It has none.
    """
    names = defaultdict(set)
    for path in Path(config.results_dir).glob(f"*/*-*{processes.SUFFIX}"):
        names[path.parent.name].add(processes.environment_of(path))
    if machine not in names:
        there = ", ".join(sorted(names)) or "none"
        raise UserError(f"no results of machine {printable(machine)!r}; there are results of {there}")
    packages = {name: stored_packages(config.results_dir, machine, name, commits) for name in sorted(names[machine])}
    return [Stored(name, versions(found)) for name, found in packages.items()]


def packages_of(env: environment.Environment) -> tuple[dict[str, str] | None, list[dict[str, str]]]:
    """Return an environment's packages, and those that are as good; None where it is not made: nothing is known of
    them.
    """
    return (env.packages(), env.alike()) if env.check_presence() else (None, [])


def newest(
    folder: str | Path, machine: str, name: str, commits: list[str]
) -> Iterator[tuple[Combination, str | None, bool]]:
    """Yield each combination of an environment that has a value at some commits; of the newest, its fingerprint and
    whether all of its processes are known to have kept their memory.
    """
    found: dict[tuple[object, ...], list[processes.Process]] = defaultdict(list)
    for process in processes.load(folder, machine, name, commits):
        if process.value is not None:
            found[process.one.place].append(process)
    for measured in found.values():
        last = max(reversed(measured), key=lambda process: process.date)
        alike = [process for process in measured if process.fingerprint == last.fingerprint]
        yield last.one, last.fingerprint, all(map(kept_memory, alike))


def unchanged(folder: str | Path, machine: str, name: str, packages: Mapping[str, str]) -> Iterator[processes.Process]:
    """Yield the processes of an environment that are not out of date, whatever the commit that they were stored with.

    ``packages``: those of the environment, of which processes with others are left out; empty where nobody knows them.
    """
    found: dict[tuple[object, ...], list[processes.Process]] = defaultdict(list)
    for process in processes.load_all(folder, machine, name):
        found[(*process.one.place, process.fingerprint)].append(process)
    for alike in found.values():
        values = [process for process in alike if process.value is not None]
        kept = bool(values) and all(map(kept_memory, values))
        if reason(alike[0].one, alike[0].fingerprint, kept, packages or None) is None:
            yield from alike


def kept_memory(process: processes.Process) -> bool:
    """Return whether calls are known to have kept their memory; of most processes it was not recorded."""
    return process.faults is not None and process.faults < FEW_FAULTS


def reason(
    combination: Combination,
    before: str | None,
    kept: bool,
    packages: Mapping[str, str] | None,
    alike: Iterable[Mapping[str, str]] = (),
) -> str | None:
    """Return why a value is out of date, or None; the first three as `newest` has them."""
    if before is None:
        return UNKNOWN
    parts = [part for part in PARTS if part != "packages" or packages is not None]
    differ = changed(before, combination, packages or {}, parts, kept, alike)
    return f"changed: {', '.join(differ)}" if differ else None
