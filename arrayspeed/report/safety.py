"""Whether it is safe to upgrade: each release of a library against the one before it, in the words and with the page of
`arrayspeed upgrade`, from stored rounds in which both took turns.

``upgrades-MACHINE-LIBRARY.json`` is a list, the newest release first:

``before``, ``version``
    The release before it that was measured, and the release.
``status``, ``outcome``
    The exit status and the sentence that `arrayspeed upgrade` ends with.
``compared``
    Of how many comparisons.
``changes``
    The largest of them, what is worse first, each with its text. ``why``: the reason, if known.
``measured``
    The day on which the last of it was measured.
``page``
    Where everything is, from the report's folder.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import polars as pl

from arrayspeed.decide.words import ALIKE, OPEN, UNCOMPARED
from arrayspeed.environments.plugin import stored_packages
from arrayspeed.measure.looking import Limits
from arrayspeed.model.libraries import PYTHON
from arrayspeed.model.measures import measure_of
from arrayspeed.model.text import file_name
from arrayspeed.records.files import replace
from arrayspeed.records.results import result_commits
from arrayspeed.subjects.found import of_row
from arrayspeed.subjects.kernels import sides_of
from arrayspeed.upgrades import pair
from arrayspeed.upgrades.compare import Row, Sides, judge_stored, key, met
from arrayspeed.upgrades.verdict import verdict
from arrayspeed.verdict.page import as_page
from arrayspeed.verdict.verdict import Verdict
from arrayspeed.versions.history import Measured, of_library, order
from arrayspeed.versions.reasons import reason

#: How many changes are named.
LARGEST = 3

#: The folder of the releases' pages, beside the data, and the way back from a page.
FOLDER, BACK = "releases", "../../"


def upgrades(
    folder: Path, results_dir: str | Path, table: pl.DataFrame, library: str, title: str, every: Sequence[Measured]
) -> list[dict[str, Any]]:
    """Write a page for each release that took turns with the one before it, and return what is said of them.

    Parameters
    ----------
    folder
        Of the data.
    results_dir, table
        Where the results are, and those of the machine and the Python.
    library, title
        The library, and the name under which it is shown.
    every
        What was measured of it.
    """
    machine = table["machine"][0]
    found = []
    for one in releases(results_dir, table, library, every):
        page = f"{FOLDER}/{file_name(machine)}/{file_name(title, one.version)}.html"
        versions = f"versions.html?{urlencode({'machine': machine, 'library': title})}"
        links = {"Report": f"{BACK}index.html", "Versions": f"{BACK}{versions}"}
        replace(folder.parent / page, as_page(one.verdict, links))
        found.append(
            {
                "before": one.before,
                "version": one.version,
                "status": one.verdict.status,
                "outcome": one.verdict.outcome,
                "compared": len(one.rows),
                "changes": changes(machine, library, one),
                "measured": one.measured,
                "page": page,
            }
        )
    return found[::-1]


@dataclass(frozen=True)
class Release:
    """A release against the one before it. ``rows``: what was compared, as in the verdict; ``measured``: the day."""

    before: str
    version: str
    rows: Sequence[Row]
    verdict: Verdict
    measured: str


def releases(
    results_dir: str | Path, table: pl.DataFrame, library: str, every: Sequence[Measured]
) -> Iterator[Release]:
    """Yield each release that took turns with the one before it, in their order; arguments as of `upgrades`."""
    alone = of_library(table, library)
    for before, version, rows in steps(every):
        told = judged(results_dir, alone, library, (before, version), rows)
        last = alone.filter(pl.col("version") == version)["date"].max()
        yield Release(before, version, rows, told, str(last)[:10])


def steps(every: Sequence[Measured]) -> Iterator[tuple[str, str, list[Row]]]:
    """Yield neighbouring releases that took turns, and what was compared of them: the measures of an upgrade."""
    versions = sorted({version for one in every for version in one.sides}, key=order)
    for before, version in itertools.pairwise(versions):
        both = [
            met(Sides(one.sides[before], one.sides[version])).available()
            for one in every
            if {before, version} <= one.sides.keys() and one.met(before, version) and measure_of(one.measure).upgrade
        ]
        known = {key(sides.one): sides for sides in both if sides.old and sides.new}
        if known:
            yield before, version, judge_stored(known, Limits())


def judged(
    results_dir: str | Path, table: pl.DataFrame, library: str, versions: tuple[str, str], rows: Sequence[Row]
) -> Verdict:
    """Return the verdict of two releases, with the packages of the environments that most of it is from."""
    machine = table["machine"][0]
    commits = result_commits(results_dir, machine)
    sides = ([process for row in rows for process in row.old], [process for row in rows for process in row.new])
    environments = [Counter(process.one.environment for process in side).most_common(1)[0][0] for side in sides]
    packages = [stored_packages(results_dir, machine, name, commits) for name in environments]
    python = str(table["python"].drop_nulls().first() or "")
    pythons = versions if library == PYTHON else (python, python)
    others = pair.packages_that_differ(library, packages, pythons)
    return verdict(library, sides_of(versions, pythons, packages), rows, machine, Limits(), others)


def changes(machine: str, library: str, release: Release) -> list[dict[str, Any]]:
    """Return the largest changes in words: what is worse before what is better, and calls before what happens once."""
    changed = [
        each
        for each in zip(release.rows, release.verdict.rows, strict=True)
        if each[1].verdict not in (*ALIKE, *OPEN, *UNCOMPARED)
    ]
    changed.sort(key=lambda each: (not each[1].worse, not each[1].quantity.carries, -far(each[0])))
    return [
        {"text": of_row(key(row.one), said).text, "worse": said.worse, "why": why(machine, library, release, row)}
        for row, said in changed[:LARGEST]
    ]


def why(machine: str, library: str, release: Release, row: Row) -> str:
    """Return the reason of a change, where somebody has found it."""
    step = {name: getattr(row.one, name) for name in ("kernel", "size", "backend", "measure")}
    return reason(machine, library, step | {"before": release.before, "version": release.version})


def far(row: Row) -> float:
    """Return how large a change is, in either direction."""
    return abs(math.log(row.decision.ratio)) if row.decision.ratio else math.inf
