"""What the report's pages read: JSON made of the results, one file an environment, so that a page loads what it shows.

``meta.json`` says what there is: machines, their environments, kernels and backends. ``environment-N.json`` holds the
values of environment N as columns of equal length, each value with the 95 % interval of what differs between processes,
and ``decisions-N.json`` what these values show of each other (`arrayspeed.report.decisions`).
``families-N.json`` and ``weights-N.json`` are for means over kernels (`arrayspeed.report.weights`), and
``answers-N.json`` says which backends are the best by family (`arrayspeed.report.answers`).
``library-MACHINE-LIBRARY.json`` holds the series of a library over its releases (`arrayspeed.report.series`).
``claims.json``, ``findings.json``, ``audits.json``, ``scaling.json`` and ``columns.json`` are what the pages about them
read.
``results.csv``, ``.parquet`` and ``.json`` are everything as asv stored it, for people to work with.
"""

from __future__ import annotations

import gc
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any, cast

import polars as pl

from arrayspeed.audit.check import CHECKS, FILE
from arrayspeed.audit.check import load as load_audit
from arrayspeed.claims.as_data import as_data
from arrayspeed.claims.evidence import Evidence, rank, versions
from arrayspeed.claims.findings import judged, verdicts
from arrayspeed.claims.table import Verdict, claims
from arrayspeed.environments.plugin import stored_packages
from arrayspeed.measure.stale import newest, reason
from arrayspeed.model.combination import Combination
from arrayspeed.model.errors import UserError
from arrayspeed.model.measures import ACCURACY, CALL, FIRST_CALL, MEASURES, measure_of
from arrayspeed.records import results
from arrayspeed.records.levels import factor_of, levels_of, with_intervals
from arrayspeed.records.peaks import load as load_peaks
from arrayspeed.records.processes import noise, read_once
from arrayspeed.report.answers import answers
from arrayspeed.report.backends import BASELINE, BASELINE_DEVICE, COLOURS
from arrayspeed.report.decisions import decisions
from arrayspeed.report.files import dump, rounded
from arrayspeed.report.findings import as_data as findings_data
from arrayspeed.report.scaling import by_machine
from arrayspeed.report.series import write_series
from arrayspeed.report.weights import families, weights
from kernels import BACKENDS, CATALOGUE, DEVICES, LIBRARIES
from kernels.backends.hardware import cores
from kernels.kernel import Kernel

#: The columns of an environment's file.
COLUMNS = ("kernel", "dtype", "measure", "backend", "size", "device", "value", "low", "high", "failed")


#: Fewer values than this are written before other processes have imported what they need.
MANY = 20_000


def write(folder: Path, results_dir: str | Path) -> dict[str, Any]:
    """Write all files into a folder; returns what ``meta.json`` holds."""
    table = results.load(results_dir).drop("samples")
    folder.mkdir(parents=True, exist_ok=True)
    tasks, place = [], 0
    for number, name in enumerate(results.machines(table)):
        of_machine = table.filter(machine=name)
        tasks.append((folder, results_dir, of_machine, number, place))
        place += of_machine["environment"].n_unique()
    parts = in_processes(write_machine, tasks) if len(table) >= MANY else [write_machine(*task) for task in tasks]
    meta = {
        "built": datetime.now(UTC).isoformat(timespec="minutes"),
        "machines": [part.machine for part in parts],
        "environments": [environment for part in parts for environment in part.environments],
        "kernels": {name: kernel_data(kernel) for name, kernel in CATALOGUE.items()},
        "backends": {
            name: {"library": backend.library, "compiled": backend.compiled, "colour": COLOURS[name]}
            for name, backend in BACKENDS.items()
        },
        "libraries": list(LIBRARIES),
        "devices": list(DEVICES),
        "measures": {
            name: measure_data(name) for name in dict.fromkeys([*MEASURES, *table["measure"].unique().sort()])
        },
        # What pages ask for by what it is, and not by its name.
        "call": CALL.name,
        "first_call": FIRST_CALL.name,
        "error": ACCURACY.name,
        "baseline": {"backend": BASELINE, "device": BASELINE_DEVICE},
    }
    dump(folder / "meta.json", meta)
    dump(folder / "claims.json", {part.machine["name"]: part.claims for part in parts})
    dump(folder / "findings.json", findings_data(judged({part.machine["name"]: part.findings for part in parts})))
    dump(folder / "audits.json", audits(results_dir))
    dump(folder / "scaling.json", by_machine(results_dir))
    dump(folder / "columns.json", columns())
    write_downloads(folder, table)
    return meta


@dataclass(frozen=True)
class Part:
    """What is said of one machine: its entry and those of its environments, claims and findings."""

    machine: dict[str, Any]
    environments: list[dict[str, Any]]
    claims: dict[str, Any]
    findings: dict[str, Verdict]


def in_processes(function: Callable[..., Part], tasks: Sequence[tuple[Any, ...]]) -> list[Part]:
    """Return what a function returns of each task, computed on all cores; in the order of the tasks."""
    # A fork would have copied Polars' threads in the middle of what they do.
    with ProcessPoolExecutor(min(len(tasks), cores()), mp_context=get_context("spawn"), initializer=gc.disable) as pool:
        return list(pool.map(partial(collected, function), *zip(*tasks, strict=True)))


def collected(function: Callable[..., Part], *task: Any) -> Part:
    """Return what a function returns. Garbage is collected after it, once: to look for it meanwhile, among hundreds of
    thousands of values that stay, took a quarter of the time of one process alone.
    """
    try:
        return function(*task)
    finally:
        gc.collect()


def write_machine(folder: Path, results_dir: str | Path, table: pl.DataFrame, number: int, place: int) -> Part:
    """Write the files of one machine.

    Parameters
    ----------
    folder, results_dir
        Where to write, and where the results are.
    table
        The results of that machine alone.
    number, place
        Its number in ``meta.json``, and that of the first of its environments.
    """
    name = table["machine"][0]
    with read_once():
        levels, commits = levels_of(table, results_dir), results.result_commits(results_dir, name)
        machine = describe(results_dir, name) | {"libraries": write_series(folder, results_dir, table, number)}
        environments, peaks = [], load_peaks(results_dir, name)
        for environment in rank(table):
            values = with_intervals(table.filter(environment=environment), levels)
            environments.append(environment_data(results_dir, number, name, values, commits))
            here = levels.get((name, environment), {})
            files = {
                "environment": {column: column_data(values, column) for column in COLUMNS},
                "decisions": decisions(here, peaks),
                "families": families(here),
                "weights": weights(here),
                "answers": answers(here),
            }
            for what, content in files.items():
                dump(folder / f"{what}-{place + len(environments) - 1}.json", content)
        evidence = Evidence(table, results_dir, levels)
        return Part(machine, environments, claims_data(name, evidence), verdicts(name, evidence))


def column_data(values: pl.DataFrame, column: str) -> list[Any]:
    """Return a column for the pages; numbers have the four digits that they are known to at best."""
    found = values[column].to_list()
    return [rounded(one) for one in found] if column in ("value", "low", "high") else found


def measure_data(name: str) -> dict[str, Any]:
    """Return what pages say of a measure; ``factor`` is the ratio that matters."""
    measure = measure_of(name)
    return {"title": measure.title, "what": measure.what, "unit": measure.unit, "factor": factor_of(name)}


def kernel_data(kernel: Kernel) -> dict[str, Any]:
    """Return what pages say of a kernel, and its counts at its own sizes."""
    return {
        "family": kernel.family,
        "summary": kernel.summary,
        "small": kernel.small,
        "large": kernel.large,
        "sizes": kernel.sizes,
        "dtypes": kernel.dtypes,
        "flops": {size: kernel.flops(size) for size in kernel.sizes},
        "bytes": {size: kernel.bytes(size, 8) for size in kernel.sizes},
        "bytes32": {size: kernel.bytes(size, 4) for size in kernel.sizes},
        "unavailable": {b.name: why for b in BACKENDS.values() if (why := kernel.why_not(b.name, b.library))},
        "otherwise": {b.name: how for b in BACKENDS.values() if (how := kernel.other_way(b.name, b.library))},
    }


def describe(results_dir: str | Path, name: str) -> dict[str, Any]:
    """Return a machine's own description; its name alone where that cannot be read."""
    try:
        known = results.machine(results_dir, name)
    except UserError:
        known = {}
    fields = ("cpu", "num_cpu", "ram", "os", "arch", "gpu", "gpu_driver", "gpu_cuda")
    return {"name": name} | {field: str(known[field]) for field in fields if known.get(field)}


def environment_data(
    results_dir: str | Path, machine: int, machine_name: str, values: pl.DataFrame, every_commit: list[str]
) -> dict[str, Any]:
    """Return what pages say of an environment; ``outdated`` is what `outdated` finds."""
    name = values["environment"][0]
    commits = values["commit"].unique().sort().to_list()
    return {
        "machine": machine,
        "name": name,
        "versions": versions(values),
        "alone": bool(values["alone"][0]),
        # Polars says of a least and a largest only that they are any of its types.
        "first": cast("datetime", values["date"].min()).isoformat(),
        "last": cast("datetime", values["date"].max()).isoformat(),
        "commits": commits,
        "values": values["value"].count(),
        "failed": int(values["failed"].sum()),
        "packages": stored_packages(results_dir, machine_name, name, commits),
        "outdated": outdated(newest(results_dir, machine_name, name, every_commit)),
        "noise": {backend: asdict(one) for backend, one in noise(results_dir, values).items()},
    }


def outdated(rows: Iterable[tuple[Combination, str | None, bool]]) -> list[dict[str, Any]]:
    """Values that this code cannot vouch for: why, how many, and of which kernels. Packages are the recorded ones."""
    by_reason: dict[str, list[str]] = defaultdict(list)
    for one, before, kept in rows:
        if why := reason(one, before, kept, None):
            by_reason[why].append(one.kernel)
    return [
        {"why": why, "values": len(names), "kernels": list(dict.fromkeys(names))} for why, names in by_reason.items()
    ]


def write_downloads(folder: Path, table: pl.DataFrame) -> None:
    """Everything, in three formats."""
    table.write_parquet(folder / "results.parquet")
    table.write_csv(folder / "results.csv")
    table.write_json(folder / "results.json")


def claims_data(machine: str, evidence: Evidence) -> dict[str, Any]:
    """Return what became of the articles' claims on one machine."""
    return as_data(machine, evidence, [(claim, claim.judge(evidence)) for claim in claims()])


def audits(results_dir: str | Path) -> dict[str, Any]:
    """By machine, with what their checks say. A machine may have been audited, and nothing else."""
    found = {
        path.parent.name: load_audit(results_dir, path.parent.name) for path in Path(results_dir).glob(f"*/{FILE}")
    }
    return {name: asdict(audit) | {"meanings": CHECKS} for name, audit in sorted(found.items()) if audit}


def columns() -> list[tuple[str, str]]:
    """Return every column of the downloads and what it means: the documentation of `arrayspeed.records.results`."""
    _, _, text = results.__doc__.partition("-------\n")
    found: list[tuple[str, list[str]]] = []
    for line in text.splitlines():
        if line.startswith(" "):
            found[-1][1].append(line.strip())
        elif line.strip():
            found.append((line.strip(), []))
    known = results.SCHEMA.keys() - {"samples"}
    return [
        (name, " ".join(words).replace("``", ""))
        for names, words in found
        for name in names.split(", ")
        if name in known
    ]
