"""What the page of versions reads: the series of each library over its releases, and geometric means over kernels.

``library-MACHINE-LIBRARY.json`` is a list of series; a step that was explained has its explanation, ``program``,
and ``reason`` is why it is as it is, where that is known.
``means-MACHINE-LIBRARY.json`` has the factor beyond which a step is one, and means: one for each measure, backend,
device, precision and label of sizes that the page can show.
In the place of LIBRARY is python where Pythons are compared, and ``jax, Python 3.11`` where JAX was measured in an
older Python than its newest release.
``newest-MACHINE-LIBRARY.json`` is what the landing page says of it (`arrayspeed.report.newest`), and
``upgrades-MACHINE-LIBRARY.json`` whether each release is safe (`arrayspeed.report.safety`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from arrayspeed.decide import FACTOR
from arrayspeed.explain.stored import load as explanations
from arrayspeed.formats.verdicts import faults_text
from arrayspeed.model.libraries import PYTHON
from arrayspeed.records.released import load
from arrayspeed.report.files import dump
from arrayspeed.report.newest import newest
from arrayspeed.report.safety import upgrades
from arrayspeed.versions.history import Measured, by_python, measured
from arrayspeed.versions.reasons import reason
from arrayspeed.versions.steps import Series, means, over_versions
from kernels import CATALOGUE, LIBRARIES

#: The label under which a series of any size is shown.
ALL = "all"


def write_series(folder: Path, results_dir: str | Path, table: pl.DataFrame, machine_number: int) -> list[str]:
    """Write the files of one machine into a folder; returns the libraries that have any series.

    ``table`` holds the results of that machine alone; ``machine_number`` is its place in ``meta.json``.
    """
    found = []
    machine = table["machine"][0] if len(table) else ""
    known = explanations(results_dir, machine)
    released = load(results_dir)
    # Of releases that were measured in an older Python, the newest one is not what is the newest in the index.
    older = replace(released, dates={name: {} for name in released.dates})
    for library in (*LIBRARIES, PYTHON):
        for title, part in by_python(table, library):
            if every := measured(results_dir, part, library):
                found.append(title)
                series, of_kernels = over_versions(every, FACTOR), means_data(every)
                data = {
                    "library": [series_data(one, library, known, machine) for one in series],
                    "means": {"factor": FACTOR, "means": of_kernels},
                    "newest": newest(
                        machine, library, every, series, of_kernels, released if title == library else older
                    ),
                    "upgrades": upgrades(folder, results_dir, part, library, title, every),
                }
                for name, content in data.items():
                    dump(folder / f"{name}-{machine_number}-{title}.json", content)
    return found


def series_data(
    series: Series, library: str, known: Mapping[tuple[Any, ...], dict[str, Any]], machine: str = ""
) -> dict[str, Any]:
    """Return a series, its steps with what is known of their programs; the same program counts the same on
    both sides.
    """
    # Several times as fast as dataclasses.asdict, which copies every number.
    data = vars(series) | {
        "points": list(map(vars, series.points)),
        "steps": [dict(vars(step)) for step in series.steps],
    }
    where = series.kernel, series.dtype, series.backend, series.size, series.device
    for step in data["steps"]:
        step["reason"] = reason(machine, library, data | step)
        step["memory"] = faults_text(step["faults_before"], step["faults"])
        row = known.get((library, step["before"], step["version"], *where))
        if row:
            changes = [each for each in row["counts"] if each[1] != each[2]]
            step["program"] = {"verdict": row["verdict"], "why": row["why"], "changes": changes, "diff": row["diff"]}
    return data


def means_data(every: list[Measured]) -> list[dict[str, Any]]:
    """Return the means that there are, each with the group of series that it is over."""
    groups = defaultdict(list)
    for one in every:
        measure, _, kernel, dtype, backend, size, device = one.key
        for label in labels(kernel, size):
            groups[measure, backend, device, dtype, label].append(one)
    found = []
    for (measure, backend, device, dtype, label), ones in groups.items():
        anchor, over = means(ones)
        if over:
            where = {"measure": measure, "backend": backend, "device": device, "dtype": dtype, "label": label}
            points = [{"version": version, **vars(mean)} for version, mean in over.items()]
            found.append({**where, "anchor": anchor, "points": points})
    return found


def labels(kernel: str, size: int | None) -> list[str]:
    """Return the labels under which a size of a kernel is shown."""
    known = CATALOGUE.get(kernel)
    return [ALL, *(label for label in ("small", "large") if known and getattr(known, label) == size)]
