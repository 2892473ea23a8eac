"""Result files in asv's format, written from rows of values: what tests of reports stand on.

>>> write_results(folder, [row("matmul", "numpy", 100, 2e-5), row("matmul", "jax", 100, 3e-5)])
"""

import itertools
import json
import math
import re
from pathlib import Path

from arrayspeed.model.libraries import PYTHON, SUBJECT, compares_python
from kernels import CATALOGUE

NEWEST = {
    "numpy": "2.4.6",
    "numba": "0.68.1",
    "jax": "0.10.2",
    "torch": "2.15.0",
    "tensorflow": "2.21.0",
    "mlx": "0.32.4",
}

COLUMNS = ("result", "params", "version", "started_at", "duration")
STATISTICS = ("stats_ci_99_a", "stats_ci_99_b", "stats_q_25", "stats_q_75", "stats_number", "stats_repeat", "samples")

NOT_AVAILABLE = float("nan")
FAILED = None


def row(
    kernel,
    backend,
    size,
    value,
    *,
    dtype="float64",
    device="cpu",
    measure="time_call",
    low=None,
    high=None,
    samples=None,
    number=1,
):
    """One value. Where no interval is given it is 1 % either way; ``NOT_AVAILABLE`` and ``FAILED`` are values too."""
    known = value is not None and value == value
    return {
        "name": f"{family_of(kernel)}.{kernel}_{dtype}.{measure}",
        "parameters": (backend, size, device),
        "result": value,
        "stats_ci_99_a": low if low is not None or not known else value * 0.99,
        "stats_ci_99_b": high if high is not None or not known else value * 1.01,
        "stats_q_25": value * 0.995 if known else None,
        "stats_q_75": value * 1.005 if known else None,
        "stats_number": number if known else None,
        "stats_repeat": len(samples or ()) or 10 if known else None,
        "samples": samples,
    }


def family_of(kernel):
    """The kernel's family; any will do for a name that is not in the catalogue."""
    return CATALOGUE[kernel].family if kernel in CATALOGUE else "elementwise"


def write_results(
    folder,
    rows,
    *,
    machine="generated-2cpu",
    requirements=NEWEST,
    environment=None,
    commit="0123456789abcdef0123456789abcdef01234567",
    started_at=1_700_000_000_000,
    machine_folder=None,
    processes=0,
    noise=0.01,
):
    """Write one result file and its machine.json; the file's path.

    Parameters
    ----------
    folder
        The results folder.
    rows
        As `row` makes them. Combinations of their parameters that are not among them are n/a.
    requirements
        Library -> version, of the environment.
    machine_folder
        The machine's folder, where it cannot be its name.
    processes, noise
        How many processes gave each value, and the standard deviation of their logarithms. Without any, nothing is
        known of what differs between processes.
    """
    environment = environment or "virtualenv-py3.11-" + "-".join(f"{k}{v}" for k, v in sorted(requirements.items()))
    python = found[1] if (found := re.search(r"-py(\d+\.\d+t?)-", environment)) else "3.11"
    place = Path(folder) / (machine_folder or machine)
    place.mkdir(parents=True, exist_ok=True)
    description = {
        "machine": machine,
        "os": "Linux 6.1",
        "arch": "x86_64",
        "cpu": "generated",
        "num_cpu": "2",
        "ram": "8 GiB",
    }
    (place / "machine.json").write_text(json.dumps(description | {"version": 1}))
    data = {
        "commit_hash": commit,
        "env_name": environment,
        "date": started_at,
        "params": {"machine": machine, "python": python, **requirements},
        "python": python,
        "requirements": dict(requirements),
        "env_vars": {SUBJECT: PYTHON} if compares_python(environment) else {},
        "result_columns": [*COLUMNS, *STATISTICS],
        "results": benchmarks(rows, started_at),
        "durations": {},
        "version": 2,
    }
    path = place / f"{commit[:8]}-{environment}.json"
    path.write_text(json.dumps(data))
    if processes:
        lines = [json.dumps(line) for entry in rows for line in process_lines(entry, processes, noise)]
        path.with_suffix(".processes.jsonl").write_text("\n".join(lines) + "\n")
    return path


def process_lines(entry, count, noise):
    """What so many processes gave of a row: evenly around its value, with a standard deviation of their logarithms."""
    value = entry["result"]
    if value is None or not value > 0:
        return []
    steps = [place - (count - 1) / 2 for place in range(count)]
    scale = noise / math.sqrt(sum(step**2 for step in steps) / max(1, count - 1)) if count > 1 else 0
    backend, size, device = entry["parameters"]
    common = {"benchmark": entry["name"], "backend": backend, "size": size, "device": device}
    return [common | {"value": value * math.exp(scale * step)} for step in steps]


def benchmarks(rows, started_at):
    """asv's entry of each benchmark: its parameters, and columns of one value a combination."""
    by_name = {}
    for entry in rows:
        by_name.setdefault(entry["name"], {})[entry["parameters"]] = entry
    return {name: benchmark(entries, started_at) for name, entries in by_name.items()}


def benchmark(entries, started_at):
    """One benchmark's entry."""
    parameters = [list(dict.fromkeys(values)) for values in zip(*entries, strict=True)]
    combinations = [entries.get(combination) for combination in itertools.product(*parameters)]
    columns = [[entry[column] if entry else None for entry in combinations] for column in STATISTICS]
    return [
        [entry["result"] if entry else NOT_AVAILABLE for entry in combinations],
        [[repr(value) for value in values] for values in parameters],
        "1",
        started_at,
        1.0,
        *columns,
    ]


def write_project(folder):
    """A folder that the commands take for the project, with an empty results folder; the results folder."""
    configuration = {"version": 1, "project": "generated", "repo": ".", "results_dir": "results", "plugins": []}
    (Path(folder) / "asv.conf.json").write_text(json.dumps(configuration))
    results = Path(folder) / "results"
    results.mkdir()
    return results
