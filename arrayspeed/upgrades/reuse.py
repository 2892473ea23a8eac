"""What an upgrade takes from results: the Python in which both versions were measured, and what is of today's code."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from asv.environment import Environment, get_environments
from packaging.version import Version

from arrayspeed.environments.plugin import parse_packages, recorded_packages
from arrayspeed.measure.plan import Selection
from arrayspeed.measure.stale import unchanged
from arrayspeed.model.errors import UserError
from arrayspeed.model.libraries import PYTHON
from arrayspeed.model.text import printable
from arrayspeed.records import processes
from arrayspeed.upgrades import compare, pair

if TYPE_CHECKING:
    from asv.config import Config


@dataclass(frozen=True)
class Reused:
    """What is stored of two versions; ``pythons``, ``packages`` and the names of ``environments`` are of the old one
    and of the new one.

    ``out_of_date``: how many combinations are stored of both, and not of today's code.
    """

    known: compare.Found
    out_of_date: int
    pythons: list[str]
    packages: list[dict[str, str]]
    environments: list[str]


def reused(
    config: Config,
    library: str,
    versions: tuple[str, str],
    companions: Sequence[str],
    asked: Sequence[str],
    machine: str,
    selections: Sequence[Selection],
) -> Reused:
    """Return what a machine has of two versions, whatever the commit: all whose fingerprint is that of today's code.

    Of the Pythons in which both were measured, that of the library's own environments counts first, then the newest;
    ``asked``: only this one, or one each. Nothing is installed or looked up in an index, unless ``companions`` leave
    a version open.

    Raises
    ------
    UserError
        There are no such results; the message says whether there are none at all, or only of other code.
    """
    folder = Path(config.results_dir)
    known = {processes.environment_of(path) for path in folder.glob(f"{machine}/*-*{processes.SUFFIX}")}
    if not known:
        others = sorted({path.parent.name for path in folder.glob(f"*/*-*{processes.SUFFIX}")})
        more = f", or name another machine: --machine {printable(' or '.join(others))}" if others else ""
        raise UserError(f"{folder} has no results of {printable(machine)}: run it without --reuse{more}")
    old, new = versions
    first = pair.template(config, library)["python"]
    given = list(asked) * (2 if len(asked) == 1 else 1) or [first, first]
    pins = pair.aligned(config, library, versions, companions, given)
    both = list(get_environments(pair.pair_config(config, library, old, new, pins, given), None))
    choices = [given] if asked or library == PYTHON else pythons_of(known, both, first)
    where, there = f"{folder}/{printable(machine)}", 0
    for pythons in choices:
        names = [in_python(env, python) for env, python in zip(both, pythons, strict=True)]
        packages = [packages_of(folder, machine, name) for name in names]
        with processes.read_once():
            every = [processes.load_all(folder, machine, name) for name in names]
            there = len(compare.stored(every, selections))
            sides = [unchanged(folder, machine, *each) for each in zip(names, packages, strict=True)]
            found = compare.stored(sides, selections)
        if found:
            return Reused(found, there - len(found), pythons, packages, names)
    if there:
        raise UserError(
            f"what {where} has of both versions was measured by other code: run it without --reuse "
            f"(what changed: arrayspeed run --stale --machine {printable(machine)})"
        )
    raise UserError(f"{where} has no such results of both versions in the same Python: run it without --reuse")


def in_python(env: Environment, python: str) -> str:
    """Return the name of the same environment in another Python, whether or not that is on this machine."""
    name: str = env.name
    return name.replace(f"-py{env.python}", f"-py{python}", 1)


def pythons_of(known: set[str], both: Sequence[Environment], first: str) -> Iterator[list[str]]:
    """Yield the Pythons in which both environments are among those that are known, ``first`` first, then the newest."""
    pattern, places = r"(\d+\.\d+t?)", [in_python(env, "{}") for env in both]
    found = [
        {match[1] for name in known if (match := re.fullmatch(re.escape(place).replace(r"\{\}", pattern), name))}
        for place in places
    ]
    common = found[0] & found[1]
    for python in sorted(common, key=lambda name: (name == first, Version(name.rstrip("t"))), reverse=True):
        yield [python, python]


def packages_of(folder: Path, machine: str, name: str) -> dict[str, str]:
    """Return the packages of an environment as they were recorded last; empty where they were not."""
    path = recorded_packages(folder, machine, name)
    return parse_packages(path.read_text(encoding="utf-8", errors="replace")) if path else {}
