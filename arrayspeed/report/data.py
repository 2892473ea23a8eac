"""What the report's pages read: JSON made of the results, one file an environment, so that a page loads what it shows.

``meta.json`` says what there is: machines, their environments, kernels and backends. ``environment-N.json`` holds the
values of environment N as columns of equal length, each value with the 95 % interval of what differs between processes,
and ``decisions-N.json`` what these values show of each other (`arrayspeed.report.decisions`).
``families-N.json`` and ``weights-N.json`` are for means over kernels (`arrayspeed.report.weights`).
``library-MACHINE-LIBRARY.json`` holds the series of a library over its releases (`arrayspeed.report.series`).
``results.csv``, ``.parquet`` and ``.json`` are everything as asv stored it, for people to work with.
"""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

import polars as pl

from arrayspeed.audit.check import CHECKS
from arrayspeed.audit.check import load as load_audit
from arrayspeed.claims.as_data import as_data
from arrayspeed.claims.evidence import Evidence, rank, versions
from arrayspeed.claims.table import claims
from arrayspeed.environments.plugin import stored_packages
from arrayspeed.model.errors import UserError
from arrayspeed.model.measures import ACCURACY, CALL, FIRST_CALL, MEASURES, measure_of
from arrayspeed.records import results
from arrayspeed.records.levels import factor_of, levels_of, with_intervals
from arrayspeed.records.processes import noise
from arrayspeed.report.backends import BASELINE, BASELINE_DEVICE, COLOURS
from arrayspeed.report.decisions import decisions
from arrayspeed.report.files import dump, rounded
from arrayspeed.report.series import write_series
from arrayspeed.report.weights import families, weights
from kernels import BACKENDS, CATALOGUE, DEVICES, LIBRARIES

#: The columns of an environment's file.
COLUMNS = ("kernel", "dtype", "measure", "backend", "size", "device", "value", "low", "high", "failed")


def write(folder: Path, results_dir: str | Path) -> dict:
    """Write all files into a folder; returns what ``meta.json`` holds."""
    table = results.load(results_dir).drop("samples")
    folder.mkdir(parents=True, exist_ok=True)
    meta = {
        "built": datetime.now(UTC).isoformat(timespec="minutes"),
        "machines": [],
        "environments": [],
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
    for number, name in enumerate(results.machines(table)):
        of_machine = table.filter(machine=name)
        levels = levels_of(of_machine, results_dir)
        meta["machines"].append(
            describe(results_dir, name) | {"libraries": write_series(folder, results_dir, of_machine, number)}
        )
        for environment in rank(of_machine):
            values = with_intervals(of_machine.filter(environment=environment), levels)
            place = len(meta["environments"])
            meta["environments"].append(environment_data(results_dir, number, name, values))
            dump(folder / f"environment-{place}.json", {column: column_data(values, column) for column in COLUMNS})
            here = levels.get((name, environment), {})
            dump(folder / f"decisions-{place}.json", decisions(here))
            dump(folder / f"families-{place}.json", families(here))
            dump(folder / f"weights-{place}.json", weights(here))
    dump(folder / "meta.json", meta)
    write_downloads(folder, table)
    return meta


def column_data(values: pl.DataFrame, column: str) -> list:
    """A column for the pages; numbers have the four digits that they are known to at best."""
    found = values[column].to_list()
    return [rounded(one) for one in found] if column in ("value", "low", "high") else found


def measure_data(name: str) -> dict:
    """What pages say of a measure; ``factor`` is the ratio that matters."""
    measure = measure_of(name)
    return {"title": measure.title, "what": measure.what, "unit": measure.unit, "factor": factor_of(name)}


def kernel_data(kernel) -> dict:
    """What pages say of a kernel, and its counts at its own sizes."""
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


def describe(results_dir: str | Path, name: str) -> dict:
    """A machine's own description; its name alone where that cannot be read."""
    try:
        known = results.machine(results_dir, name)
    except UserError:
        known = {}
    fields = ("cpu", "num_cpu", "ram", "os", "arch", "gpu", "gpu_driver", "gpu_cuda")
    return {"name": name} | {field: str(known[field]) for field in fields if known.get(field)}


def environment_data(results_dir: str | Path, machine: int, machine_name: str, values: pl.DataFrame) -> dict:
    """What pages say of an environment."""
    name = values["environment"][0]
    commits = values["commit"].unique().sort().to_list()
    return {
        "machine": machine,
        "name": name,
        "versions": versions(values),
        "alone": bool(values["alone"][0]),
        "first": values["date"].min().isoformat(),
        "last": values["date"].max().isoformat(),
        "commits": commits,
        "values": values["value"].count(),
        "failed": int(values["failed"].sum()),
        "packages": stored_packages(results_dir, machine_name, name, commits),
        "noise": {backend: asdict(one) for backend, one in noise(results_dir, values).items()},
    }


def write_downloads(folder: Path, table: pl.DataFrame) -> None:
    """Everything, in three formats."""
    table.write_parquet(folder / "results.parquet")
    table.write_csv(folder / "results.csv")
    table.write_json(folder / "results.json")


def claims_data(results_dir: str | Path) -> dict[str, dict]:
    """What became of the articles' claims, by machine."""
    table = results.load(results_dir)
    found = {}
    for name in results.machines(table):
        evidence = Evidence(table.filter(machine=name), results_dir)
        found[name] = as_data(name, evidence, [(claim, claim.judge(evidence)) for claim in claims()])
    return found


def audits(results_dir: str | Path, machines: list[str]) -> dict[str, dict]:
    """The audit of each machine that has one, and what its checks say."""
    found = {name: audit for name in machines if (audit := load_audit(results_dir, name))}
    return {name: asdict(audit) | {"meanings": CHECKS} for name, audit in found.items()}


def columns() -> list[tuple[str, str]]:
    """Every column of the downloads and what it means: the documentation of `arrayspeed.records.results`."""
    _, _, text = results.__doc__.partition("-------\n")
    found = []
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
