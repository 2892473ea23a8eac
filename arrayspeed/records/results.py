"""Everything in ``results/`` as one table, the newest measurement of each combination.

Columns
-------
machine, environment, commit
    Where it was measured; the environment is asv's name for it.
date
    When its benchmark was started, UTC.
family, kernel, dtype, measure
    From asv's name of the benchmark: ``linalg.matmul_float64.time_call``.
backend, size, device
    The parameters. Of ``imports``, the library stands for the backend.
library, version
    The backend's library and its version in that environment, as far as its requirements name it.
python
    The version of Python: 3.12, or 3.14t of a free-threaded build.
alone
    True where the environment is there to measure that library and no other.
value
    In the measure's unit: seconds, bytes or a relative error. Null where it failed or was not measured.
failed
    True where the benchmark ended with an error.
low, high
    asv's 99 % confidence interval of the value; null where there are too few samples.
q25, q75, repeat, number
    Quartiles of the samples, how many there are, and how many calls each is the mean of.
samples
    The samples themselves, where they were recorded.
"""

from __future__ import annotations

import glob
import itertools
import json
import math
import re
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl
from asv.results import Results

from arrayspeed.environments.machine import describe
from arrayspeed.formats.progress import say
from arrayspeed.model.combination import parse_name, parse_parameters
from arrayspeed.model.errors import UserError
from arrayspeed.model.libraries import bare, subjects
from kernels import BACKENDS, LIBRARIES

SCHEMA: dict[str, pl.DataType | type[pl.DataType]] = {
    "machine": pl.String,
    "environment": pl.String,
    "commit": pl.String,
    "date": pl.Datetime(time_zone="UTC"),
    "family": pl.String,
    "kernel": pl.String,
    "dtype": pl.String,
    "measure": pl.String,
    "backend": pl.String,
    "size": pl.Int64,
    "device": pl.String,
    "library": pl.String,
    "version": pl.String,
    "python": pl.String,
    "alone": pl.Boolean,
    "value": pl.Float64,
    "failed": pl.Boolean,
    "low": pl.Float64,
    "high": pl.Float64,
    "q25": pl.Float64,
    "q75": pl.Float64,
    "repeat": pl.Int64,
    "number": pl.Int64,
    "samples": pl.List(pl.Float64),
}

#: As of `arrayspeed.model.combination.Combination.key`.
KEY = ["family", "kernel", "dtype", "measure", "backend", "size", "device"]

COMBINATION = ["machine", "environment", *KEY]

#: Result columns of asv that become columns here.
STATISTICS = {
    "low": "stats_ci_99_a",
    "high": "stats_ci_99_b",
    "q25": "stats_q_25",
    "q75": "stats_q_75",
    "repeat": "stats_repeat",
    "number": "stats_number",
    "samples": "samples",
}


def load(folder: str | Path = "results", every: bool = False) -> pl.DataFrame:
    """Return the table of all results under a folder; empty where there are none. A file that is no result is left out,
    aloud.

    With ``every``, all measurements of a combination are kept, not only the newest.
    """
    tables = [pl.DataFrame(schema=SCHEMA)]
    for path in result_files(Path(folder)):
        try:
            tables.append(read(path))
        except UserError as error:
            say(f"warning: left out: {error}")
    table = pl.concat(tables)
    if every:
        return table
    measured = table.filter(pl.col("value").is_not_null() | pl.col("failed"))
    return measured.sort("date", maintain_order=True).unique(COMBINATION, keep="last", maintain_order=True)


def result_files(folder: Path) -> list[Path]:
    """asv's result files: JSON beside a machine.json, named after a commit and an environment."""
    # Unlike pathlib's, this search goes on where a run deletes a temporary folder meanwhile.
    found = [Path(path) for path in glob.glob("*/*-*.json", root_dir=folder)]
    return sorted(folder / path for path in found if (folder / path.parent / "machine.json").exists())


def with_value(folder: str | Path, machine: str, environment: str) -> set[tuple[Any, ...]]:
    """Return the keys of what has a value of a machine and environment at any commit; what cannot be read has none."""
    keys = set()
    for path in Path(folder, machine).glob(f"*-{glob.escape(environment)}.json"):
        with suppress(UserError):
            table = read(path).filter(pl.col("value").is_not_null(), pl.col("environment") == environment)
            keys.update(table.select(KEY).rows())
    return keys


def result_commits(folder: str | Path, machine: str) -> list[str]:
    """Return the commits that a machine's results name; what cannot be read names none."""
    commits = set()
    for path in Path(folder, machine).glob("*-*.json"):
        with suppress(OSError, ValueError, KeyError, TypeError, RecursionError):
            commits.add(json.loads(path.read_text())["commit_hash"])
    return sorted(commit for commit in commits if isinstance(commit, str) and re.fullmatch("[0-9a-f]{40}", commit))


def machine(folder: str | Path, name: str) -> dict[str, Any]:
    """Return a machine's own description.

    Raises
    ------
    UserError
        It is missing or not readable.
    """
    try:
        found = json.loads((Path(folder) / name / "machine.json").read_text())
        if not isinstance(found, dict):
            raise ValueError("it is no JSON object")
        return found
    except (OSError, ValueError, RecursionError) as error:
        raise UserError(f"cannot read the description of machine {name}: {error}") from error


def read(path: Path) -> pl.DataFrame:
    """Return the table of one result file.

    Raises
    ------
    UserError
        It is not a result file of asv.
    """
    try:
        data = json.loads(path.read_text())
        if data["version"] != Results.api_version:
            raise ValueError(f"its format is version {data['version']}, not {Results.api_version}")
        columns = data["result_columns"]
        versions = {bare(name): value for name, value in data["requirements"].items()}
        table: dict[str, list[Any]] = {name: [] for name in SCHEMA}
        for name, values in data["results"].items():
            add_benchmark(table, name, dict(zip(columns, values, strict=False)), versions)
        common = {
            "machine": data["params"]["machine"],
            "environment": data["env_name"],
            "python": data.get("python"),
            "commit": data["commit_hash"],
            "alone": len(subjects(data["requirements"], data.get("env_vars") or {})) == 1,
        }
        count = len(table["value"])
        return pl.DataFrame(table | {name: [value] * count for name, value in common.items()}, schema=SCHEMA)
    except (
        OSError,
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
        OverflowError,
        RecursionError,
        pl.exceptions.PolarsError,
    ) as error:
        why = str(error).partition("\n")[0]
        raise UserError(f"{path} is not a result file of asv ({type(error).__name__}: {why})") from error


def add_benchmark(table: dict[str, list[Any]], name: str, benchmark: dict[str, Any], versions: dict[str, str]) -> None:
    """Add one benchmark to the columns of a table, one value a combination of its parameters."""
    every = list(itertools.product(*benchmark["params"])) or [()]
    values = (benchmark["result"] or [None] * len(every))[: len(every)]
    statistics = {column: benchmark.get(theirs) or [None] * len(every) for column, theirs in STATISTICS.items()}
    if any(len(entries) < len(every) for entries in (values, *statistics.values())):
        raise ValueError(f"{name} has fewer values than combinations of parameters")
    started = datetime.fromtimestamp((benchmark.get("started_at") or 0) / 1000, UTC)
    # asv's NaN is a combination that was skipped or not measured.
    skipped = [isinstance(value, float) and math.isnan(value) for value in values]
    table["value"] += [None if skip else value for value, skip in zip(values, skipped, strict=True)]
    table["failed"] += [value is None for value in values]
    for column, entries in statistics.items():
        table[column] += entries[: len(every)]
    for column, value in (*parse_name(name).items(), ("date", started)):
        table[column] += [value] * len(every)
    for parameters in every:
        where = parse_parameters(parameters)
        library = BACKENDS[where["backend"]].library if where["backend"] in BACKENDS else where["backend"]
        table["library"].append(library if library in LIBRARIES else None)
        table["version"].append(versions.get(library))
        for column, value in where.items():
            table[column].append(value)


def machines(table: pl.DataFrame) -> list[str]:
    """Return the machines of results: this one first, so that who measures sees that, then by how much was measured."""
    here = describe()["machine"]
    counts = table.group_by("machine").agg(pl.col("value").count())
    return [name for name, count in sorted(counts.iter_rows(), key=lambda item: (item[0] != here, -item[1], item[0]))]


def choose_machine(table: pl.DataFrame, name: str | None = None) -> str:
    """Return the machine to show: the one named, else this one, else the only one, else the one measured last.

    Raises
    ------
    UserError
        There are no results, or none of the machine named.
    """
    names = table["machine"].unique().sort().to_list()
    if not names:
        raise UserError("there are no results: run `make bench` or `arrayspeed run --tier bench` first")
    if name is not None:
        if name not in names:
            raise UserError(f"no results of machine {name!r}; there are results of {', '.join(names)}")
        return name
    here = describe()["machine"]
    if here in names:
        return here
    last: str = table.sort("date")["machine"][-1]
    return last
