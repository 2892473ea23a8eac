"""What releases changed, in sentences: of releases that took turns on one machine, library by library."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

import polars as pl

from arrayspeed.audit.copies import noise
from arrayspeed.decide import FACTOR
from arrayspeed.decide.words import ORDER
from arrayspeed.explain.compare import DIFFERS, SAME
from arrayspeed.explain.stored import load as explanations
from arrayspeed.formats.tables import markdown_table
from arrayspeed.formats.verdicts import faults_text, interval_text
from arrayspeed.model.measures import CALL, measure_of
from arrayspeed.model.units import significant
from arrayspeed.records.released import Released
from arrayspeed.report.newest import newest
from arrayspeed.report.series import ALL, means_data
from arrayspeed.versions.history import Measured, by_python, measured
from arrayspeed.versions.steps import Series, Step, over_versions
from kernels import LIBRARIES

#: What is said of a step's programs.
PROGRAMS = {
    SAME: " `arrayspeed explain` shows the same program, or the same calls, in both.",
    DIFFERS: " `arrayspeed explain` shows another program, or other calls.",
}

#: What is said of the table of noise.
NOISE = """\
The standard deviation, over the rounds, of the logarithm of the ratio of two neighbouring releases: of processes that
took turns, and of processes that were a round apart. Of each backend, the median over its calls, and the range.
"""

HEADINGS = ("backend", "ratios", "in turn, median (range)", "a round apart, median")


def describe_upgrades(results_dir: str | Path, table: pl.DataFrame) -> list[str]:
    """Lines of Markdown, of a table of one machine's results; none where no two releases took turns."""
    machine = table["machine"][0] if len(table) else ""
    known = explanations(results_dir, machine)
    lines, found = [], []
    for library in LIBRARIES:
        for title, part in by_python(table, library):
            every = [one for one in measured(results_dir, part, library) if side_by_side(one)]
            if every:
                series = [replace(one, steps=met(one)) for one in over_versions(every, FACTOR)]
                lines += [f"### {title}", "", *of_library(machine, library, every, series, known), ""]
                found += every
    return [*lines, *noise_table(found)] if found else []


def side_by_side(measured: Measured) -> bool:
    """Return whether a release met the one that others are compared with."""
    return any(measured.met(version, measured.anchor) for version in measured.sides if version != measured.anchor)


def met(series: Series) -> list[Step]:
    """Return the steps between releases that took turns."""
    return [step for step in series.steps if step.side_by_side]


def of_library(
    machine: str,
    library: str,
    every: list[Measured],
    series: list[Series],
    known: Mapping[tuple[Any, ...], dict[str, Any]],
) -> Iterator[str]:
    """Yield the newest release against the one before, all of them since the oldest, and the largest steps."""
    found = newest(machine, library, every, series, means_data(every), Released())
    if calls := found["counts"].get(CALL.name):
        words = ", ".join(f"{calls[word]} {word}" for word in ORDER if calls[word])
        yield f"{found['version']} against {found['before']}, {calls.total()} calls: {words}."
        yield ""
    for mean in found["first"]:
        (point,) = mean["points"]
        if mean["label"] == ALL and point["low"] is not None:
            # New to old, as everywhere: the others are held against the newest.
            ratio = interval_text(1 / point["ratio"], 1 / point["high"], 1 / point["low"])
            yield (
                f"- In {mean['anchor']}, calls of `{mean['backend']}` took {ratio} as long as in {point['version']}, "
                f"in the geometric mean over {point['comparisons']} kernels and sizes."
            )
    for step in found["changes"]:
        yield f"- {changed(step)}{program(library, step, known)} {step['why']}".rstrip()


def changed(step: Mapping[str, Any]) -> str:
    """Return a step in a sentence."""
    what = measure_of(step["measure"]).title
    if step["size"] is not None:
        what = f"`{step['kernel']}` {step['size']:,} {step['dtype']} on `{step['backend']}`, {what}"
    if step["ratio"] is None:
        return f"{what}: {step['verdict']} in {step['version']}, after {step['before']}."
    ratio = interval_text(step["ratio"], step["low"], step["high"])
    faults = faults_text(step["faults_before"], step["faults"])
    return f"{what}: in {step['version']} {ratio} of that in {step['before']}.{faults and f' {faults.capitalize()}.'}"


def program(library: str, step: Mapping[str, Any], known: Mapping[tuple[Any, ...], dict[str, Any]]) -> str:
    """Return what is known of both releases' programs for it."""
    where = (step[name] for name in ("kernel", "dtype", "backend", "size", "device"))
    row = known.get((library, step["before"], step["version"], *where))
    return PROGRAMS.get(row["verdict"], "") if row else ""


def noise_table(every: list[Measured]) -> list[str]:
    """Return how much rounds differ: the standard deviation of the logarithm of the ratio of two
    neighbouring releases.
    """
    turns, later = defaultdict(list), defaultdict(list)
    for one in every:
        for before, version in one.neighbours() if one.measure == CALL.name else ():
            differences = one.compared(version, before).differences() if one.met(before, version) else []
            if (spread := noise(differences)) is not None and (apart := noise(a_round_later(one, before, version))):
                turns[one.key[4]].append(spread)
                later[one.key[4]].append(apart)
    rows = [
        [
            name,
            str(len(of)),
            f"{percent(median(of))} % ({percent(min(of))}–{percent(max(of))})",
            f"{percent(median(later[name]))} %",
        ]
        for name, of in turns.items()
    ]
    return ["### Noise", "", NOISE, *markdown_table(HEADINGS, rows), ""] if rows else []


def a_round_later(measured: Measured, before: str, version: str) -> list[float]:
    """Logarithms of the same ratio of processes that were a round apart."""
    reference = {process.round: process.value for process in measured.sides[before]}
    pairs = [(each.value, reference.get(each.round + 1)) for each in measured.sides[version] if each.round is not None]
    return [math.log(value / other) for value, other in pairs if value and other]


def percent(share: float) -> str:
    """Return a share in percent, with two digits."""
    return significant(100 * share, 2)
