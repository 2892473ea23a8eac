"""A library over its releases: one series for each kernel, backend and size, and the steps in it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import polars as pl
from asv.step_detect import detect_steps
from packaging.version import InvalidVersion, Version

from arrayspeed.processes import Noise
from arrayspeed.results import COMBINATION

#: What makes a series, and what is shown of it.
SERIES = ["measure", "family", "kernel", "dtype", "backend", "size", "device"]

#: A step smaller than this is not shown.
FACTOR = 1.1


@dataclass(frozen=True)
class Point:
    """One release. ``value`` is None where it failed; ``low`` and ``high`` enclose the middle half of the samples."""

    version: str
    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Step:
    """A change that stays: the release that it came with, and the level before and after."""

    version: str
    before: float
    after: float

    @property
    def ratio(self) -> float:
        """After over before."""
        return self.after / self.before


@dataclass(frozen=True)
class Series:
    """One combination over the releases of its library, in their order."""

    measure: str
    family: str
    kernel: str
    dtype: str | None
    backend: str
    size: int | None
    device: str | None
    points: list[Point] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)


def order(version: str) -> tuple:
    """Sorts releases; what is no version comes first, by its letters."""
    try:
        return 1, Version(version)
    except InvalidVersion:
        return 0, version


def over_versions(
    table: pl.DataFrame, library: str, noise: Mapping[str, Noise] | None = None, factor: float = FACTOR
) -> list[Series]:
    """The series of a library in environments of its own: in others, more than its version differs.

    ``noise`` is that between processes, by backend. What is less than three standard deviations of it is no step: a
    release has few processes, and one of them may have met a slow spell of the machine. An error has no such noise.
    """
    alone = table.filter(pl.col("library") == library, pl.col("alone"), pl.col("version").is_not_null())
    newest = alone.sort("date").unique([*(c for c in COMBINATION if c != "environment"), "version"], keep="last")
    found = []
    for where, rows in newest.group_by(SERIES, maintain_order=True):
        points = [
            Point(row["version"], row["value"], row["q25"], row["q75"])
            for row in sorted(rows.iter_rows(named=True), key=lambda row: order(row["version"]))
        ]
        series = Series(*where, points)
        known = (noise or {}).get(series.backend) if series.measure != "track_error" else None
        least = max(factor, math.exp(3 * known.between)) if known else factor
        found.append(replace(series, steps=steps(points, least)))
    return sorted(found, key=lambda one: (one.family, one.kernel, one.dtype or "", one.backend, one.size or 0))


def steps(points: list[Point], factor: float = FACTOR) -> list[Step]:
    """Where the level of a series changes, by asv's own detection on the logarithms.

    A step is kept where it is a factor or more, and where the middle halves of the samples just before and after it
    have nothing in common: with few releases, the detection alone takes noise for steps.
    """
    known = [point for point in points if point.value]
    segments = detect_steps([math.log(point.value) for point in known]) if len(known) > 1 else []
    found = []
    for (_, end, before, *_), (start, _, after, *_) in itertools.pairwise(segments):
        step = Step(known[start].version, math.exp(before), math.exp(after))
        if abs(after - before) >= math.log(factor) and apart(known[end - 1], known[start]):
            found.append(step)
    return found


def apart(one: Point, other: Point) -> bool:
    """Whether the middle halves of two releases' samples have nothing in common; values without samples do."""
    low, high = sorted((one, other), key=lambda point: point.value)
    return high.low is None or low.high is None or high.low > low.high
