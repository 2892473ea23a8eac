"""Measure all releases of a library side by side: in each block every release meets one anchor, the newest.

What is measured is stored process by process, with its block and round, and from that asv's own results are written. A
block is named after what it compares, so that a run that was interrupted goes on where it stopped.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import median
from typing import Any

from asv.config import Config
from asv.results import Results
from asv.runner import BenchmarkResult

from arrayspeed.decide import Observed
from arrayspeed.measure.blocks import Block, blocks_of
from arrayspeed.measure.host import only_run
from arrayspeed.measure.looking import Limits
from arrayspeed.measure.plan import Selection, combinations
from arrayspeed.measure.session import Session, open_session, save_atomically
from arrayspeed.measure.until_decided import until_decided
from arrayspeed.model.combination import Combination
from arrayspeed.model.errors import UserError
from arrayspeed.model.libraries import PYTHON, held, of_python
from arrayspeed.model.measures import measure_of
from arrayspeed.records import processes
from arrayspeed.records.measures import observed_of_sides
from arrayspeed.records.processes import Process
from arrayspeed.versions.history import order

#: Block and release -> what is decided: the release against the anchor.
Key = tuple[str, str]


def run(
    config: Config, selections: list[Selection], limits: Limits, timeout: float | None = None, wait: bool = False
) -> int:
    """Measure what is selected until every release is decided against the anchor; returns the exit status.

    ``wait``: for another measurement on this host to end.

    Raises
    ------
    UserError
        No library has two releases among the environments, or nothing that is selected can run.
    """
    with only_run(config.results_dir, wait):
        session = open_session(config, selections)
        if timeout is not None:
            for benchmark in session.benchmarks.values():
                benchmark["timeout"] = timeout
        blocks = {one.name: one for one in all_blocks(session, selections)}
        if not blocks:
            raise UserError(
                "no library has two environments in this selection, and releases are compared with each other"
            )
        found = stored(session, blocks)
        before = {name: len({process.round for process in ones}) for name, ones in found.items()}

        def take(block: Block, played: list[Process]) -> None:
            found[block.name] += played

        try:
            decisions = until_decided(session, blocks, take, lambda: observed(blocks, found), limits, before)
        finally:
            write_results(session, found)
    failed = sum(one.verdict in ("fails", "sometimes fails", "fails in both") for one in decisions.values())
    return 1 if failed else 0


def all_blocks(session: Session, selections: Sequence[Selection]) -> list[Block]:
    """Return a block for each combination of each library, all of its releases in it, the newest first."""
    every = list(dict.fromkeys(one for selection in selections for one in combinations(session, selection)))
    releases: dict[str, dict[str, str]] = defaultdict(dict)
    for name, env in session.environments.items():
        libraries = held(env)
        if of_python(env.env_vars):
            releases[PYTHON][name] = env.python
        elif len(libraries) == 1:
            ((library, version),) = libraries.items()
            releases[library][name] = version
    found = []
    for library, versions in releases.items():
        newest_first = sorted(versions, key=lambda name: order(versions[name]), reverse=True)
        ones = [one for one in every if one.environment in versions and library in (PYTHON, one.library)]
        found += [one.with_first(measure_of(one.one.measure).rounds) for one in blocks_of(ones, newest_first)]
    return found


def stored(session: Session, blocks: dict[str, Block]) -> dict[str, list[Process]]:
    """Return the processes that earlier runs of the same code left, by block."""
    found: dict[str, list[Process]] = {name: [] for name in blocks}
    folder, machine = session.config.results_dir, session.machine["machine"]
    for environment in session.environments:
        known = {name: side for name, one in blocks.items() for side in one.sides if side.environment == environment}
        for process in processes.load(folder, machine, environment, session.commits):
            if process.block in known:
                found[process.block].append(replace(process, one=known[process.block]))
    return found


def observed(blocks: Mapping[str, Block], by_name: Mapping[str, list[Process]]) -> dict[Key, Observed]:
    """Return every release against its anchor."""
    made = {}
    for name, ones in by_name.items():
        anchor, *others = (one.environment for one in blocks[name].sides)
        of = defaultdict(list)
        for process in ones:
            of[process.one.environment].append(process)
        for other in others:
            if of[anchor] and of[other]:
                made[name, other] = observed_of_sides(of[anchor], of[other])
    return made


def write_results(session: Session, by_name: dict[str, list[Process]]) -> None:
    """Add what processes gave to asv's results of each environment: the median, of a time with the processes' figures
    as its samples.
    """
    by_environment: dict[str, dict[Combination, list[Process]]] = defaultdict(lambda: defaultdict(list))
    for ones in by_name.values():
        for process in ones:
            if process.value is not None:
                by_environment[process.one.environment][process.one].append(process)
    for environment, values in by_environment.items():
        results = session.results_of(environment)
        for one, gave in values.items():
            add(results, session.benchmarks[one.benchmark], one, gave)
        save_atomically(session.config.results_dir, results.save)


def add(results: Results, benchmark: dict[str, Any], combination: Combination, gave: list[Process]) -> None:
    """One value, in the place that asv has for it. The other places are NaN, which asv takes as not run; None would
    say that they failed.
    """
    figures = [process.value for process in gave if process.value is not None]
    count = 1
    for values in benchmark["params"]:
        count *= len(values)
    result = [math.nan] * count
    samples: list[list[float] | None] = [None] * count
    number: list[int | None] = [None] * count
    result[combination.index] = median(figures)
    if measure_of(combination.measure).sampled:
        samples[combination.index], number[combination.index] = figures, gave[0].number or 1
    made = BenchmarkResult(result=result, samples=samples, number=number, errcode=0, stderr="", profile=None)
    results.add_result(benchmark, made, record_samples=True, selected_idx={combination.index})
