"""What other tools export: how to know a file, and what each process gave.

A tool that runs everything in one process says nothing of the noise between processes: its median is one value.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from io import StringIO
from itertools import product
from statistics import median
from typing import Any

#: A file's benchmarks: name -> what each process gave, None where it failed.
Benchmarks = dict[str, list[float | None]]


def positive(value: object) -> float:
    """Return a sample.

    Raises
    ------
    ValueError
        It is not a number above 0.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ValueError(f"a value must be a number above 0, not {shown(value)}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not 0 < number < math.inf:
        raise ValueError(f"a value must be a number above 0, not {shown(value)}")
    return number


def shown(value: object) -> str:
    """Return a value in a message, not longer than a few words."""
    try:
        text = json.dumps(value)
    except (ValueError, RecursionError):
        text = type(value).__name__
    return text if len(text) <= 40 else text[:37] + "..."


def of_pyperf(data: dict[str, Any]) -> Iterable[tuple[str, list[float | None]]]:
    """One value a worker process, the median of its own; processes that only calibrate have none."""
    common = data.get("metadata", {}).get("name", "benchmark")
    for one in data["benchmarks"]:
        runs = [run["values"] for run in one["runs"] if run.get("values")]
        yield str(one.get("metadata", {}).get("name", common)), [median(map(positive, values)) for values in runs]


def of_pytest_benchmark(data: dict[str, Any]) -> Iterable[tuple[str, list[float | None]]]:
    """One value a benchmark: all its rounds ran in one process."""
    for one in data["benchmarks"]:
        yield str(one.get("fullname") or one["name"]), [positive(one["stats"]["median"])]


def of_hyperfine(data: dict[str, Any]) -> Iterable[tuple[str, list[float | None]]]:
    """One value a run, each a process; it failed where its exit code is not 0."""
    for one in data["results"]:
        times = one["times"]
        codes = one.get("exit_codes") or [0] * len(times)
        if len(codes) != len(times):
            raise ValueError(f"{len(times)} times and {len(codes)} exit codes")
        yield (
            str(one["command"]),
            [None if code != 0 else positive(time) for time, code in zip(times, codes, strict=True)],
        )


def of_asv(data: dict[str, Any]) -> Iterable[tuple[str, list[float | None]]]:
    """One value a benchmark and combination of parameters, of ``asv run``'s results of a commit: asv keeps no
    processes apart. What is NaN was skipped, and what is null failed.
    """
    columns = data["result_columns"]
    for name, values in data["results"].items():
        row = dict(zip(columns, values, strict=False))
        if row.get("result") is None:
            yield str(name), [None]
            continue
        combinations = list(product(*row.get("params") or []))
        if len(combinations) != len(row["result"]):
            raise ValueError(f"{name} has {len(row['result'])} results of {len(combinations)} combinations")
        for parameters, value in zip(combinations, row["result"], strict=True):
            if not isinstance(value, float) or not math.isnan(value):
                said = f"({', '.join(map(str, parameters))})" if parameters else ""
                yield f"{name}{said}", [None if value is None else positive(value)]


#: Google Benchmark's units, in seconds.
UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


def of_google_benchmark(data: dict[str, Any]) -> Iterable[tuple[str, list[float | None]]]:
    """One value a benchmark, the median of its repetitions, which run in one process; without aggregates."""
    found: dict[str, list[float | None]] = {}
    for row in data["benchmarks"]:
        if row.get("run_type") == "aggregate":
            continue
        failed = row.get("error_occurred") or row.get("skipped")
        value = None if failed else positive(row["real_time"]) * UNITS[row.get("time_unit", "ns")]
        found.setdefault(str(row.get("run_name") or row["name"]), []).append(value)
    for name, values in found.items():
        works = [value for value in values if value is not None]
        yield name, [median(works) if works else None]


#: Where NVBench keeps times, the first that a state has: kernels with a cold cache, those on the CPU alone.
TAGS = ("nv/cold/time/gpu/mean", "nv/batch/time/gpu/mean", "nv/cpu_only/time/cpu/mean")


def of_nvbench(data: dict[str, Any]) -> Iterable[tuple[str, list[float | None]]]:
    """One value a state, the mean of its runs, which are in one process."""
    for one in data["benchmarks"]:
        for state in one["states"]:
            if state.get("is_skipped"):
                continue
            axes = ", ".join(f"{axis['name']}={axis['value']}" for axis in state.get("axis_values") or [])
            means = {row["tag"]: row for row in state["summaries"] if row.get("tag") in TAGS}
            tag = next((tag for tag in TAGS if tag in means), None)
            if tag is None:
                raise ValueError(f"{shown(one['name'])} has none of {', '.join(TAGS)}")
            value = next(row["value"] for row in means[tag]["data"] if row["name"] == "value")
            device = f", device {state['device']}" if state.get("device") not in (None, 0) else ""
            yield f"{one['name']}({axes}{device})" if axes or device else str(one["name"]), [positive(float(value))]


def of_csv(data: dict[str, Any]) -> Iterable[tuple[str, list[float | None]]]:
    """One value a row; rows of one name are processes."""
    found: dict[str, list[float | None]] = {}
    for row in data["rows"]:
        found.setdefault(row["name"], []).append(None if row["value"] is None else positive(row["value"]))
    yield from found.items()


def rows_of_csv(text: str) -> list[dict[str, Any]] | None:
    """Return the rows of a file whose first line names its columns: ``name`` and ``value`` of one side, or
    ``comparison``, ``side``, ``round`` and ``value`` of both; None where it is no such file. An empty value is that of
    a process that failed.
    """
    reader = csv.DictReader(StringIO(text))
    columns = [name.strip() for name in reader.fieldnames or ()]
    if "value" not in columns or not {"name", "comparison"} & set(columns):
        return None
    reader.fieldnames = columns
    return list(values_read(reader)) or None


def values_read(rows: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield rows with their values as numbers; what is no number is left as it is, for whoever looks at it."""
    for row in rows:
        text = (row.get("value") or "").strip()
        try:
            yield {**row, "value": float(text) if text else None}
        except ValueError:
            yield {**row, "value": text}


def entries(data: dict[str, Any], key: str) -> list[dict[str, Any]]:
    """Return the objects in a list of a file; none where it has no such list."""
    rows = data.get(key)
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


@dataclass(frozen=True)
class Tool:
    """How to know a tool's file, and how to read it."""

    recognises: Callable[[dict[str, Any]], bool]
    benchmarks: Callable[[dict[str, Any]], Iterable[tuple[str, list[float | None]]]]


HYPERFINE, CSV = "hyperfine", "CSV"

TOOLS = {
    "pyperf": Tool(lambda data: any("runs" in row for row in entries(data, "benchmarks")), of_pyperf),
    "pytest-benchmark": Tool(
        lambda data: any("stats" in row for row in entries(data, "benchmarks")), of_pytest_benchmark
    ),
    HYPERFINE: Tool(lambda data: any("times" in row for row in entries(data, "results")), of_hyperfine),
    "asv": Tool(lambda data: "result_columns" in data and isinstance(data.get("results"), dict), of_asv),
    "Google Benchmark": Tool(
        lambda data: any("real_time" in row for row in entries(data, "benchmarks")), of_google_benchmark
    ),
    "NVBench": Tool(lambda data: any("states" in row for row in entries(data, "benchmarks")), of_nvbench),
    CSV: Tool(lambda data: "rows" in data, of_csv),
}
