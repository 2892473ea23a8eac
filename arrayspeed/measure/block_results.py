"""What processes of blocks gave: what earlier runs left of them, and asv's own results from them."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import median
from typing import Any

from asv.results import Results
from asv.runner import BenchmarkResult

from arrayspeed.measure.blocks import Block
from arrayspeed.measure.session import Session, save_atomically
from arrayspeed.measure.stale import reason
from arrayspeed.model.combination import Combination
from arrayspeed.model.measures import measure_of
from arrayspeed.model.retention import ALWAYS, NEVER, WHERE_FAULTS
from arrayspeed.records import processes
from arrayspeed.records.processes import Process

#: A block's name -> its processes.
ByBlock = dict[str, list[Process]]


def stored(session: Session, blocks: Mapping[str, Block]) -> ByBlock:
    """Return the processes that earlier runs of the same code left, by block.

    The code is the same where all files are, or else where everything is that the values of a block depend on: a change
    of one kernel leaves the rounds of the others as good as they were. Such a block goes on at the commit that its
    rounds name (`Session.homes`).
    """
    found: ByBlock = {name: [] for name in blocks}
    for environment in session.environments:
        for process in of_blocks(session, environment, session.commits, blocks):
            found[process.block or ""].append(process)
    for commit in session.older:
        lost = {name: blocks[name] for name, ones in found.items() if not ones}
        if not lost:
            break
        there: ByBlock = defaultdict(list)
        for environment in session.environments:
            for process in of_blocks(session, environment, [commit], lost):
                there[process.block or ""].append(process)
        for name, ones in there.items():
            if as_today(session, ones):
                found[name], session.homes[name] = ones, commit
    return found


def of_blocks(session: Session, environment: str, commits: list[str], blocks: Mapping[str, Block]) -> Iterator[Process]:
    """Yield the processes of blocks that are stored of an environment at some commits."""
    known = {
        (name, side.backend, side.device): side
        for name, one in blocks.items()
        for side in one.sides
        if side.environment == environment
    }
    for process in processes.load(session.config.results_dir, session.machine["machine"], environment, commits):
        if one := known.get((process.block or "", process.one.backend, process.one.device)):
            yield replace(process, one=one)


def as_today(session: Session, ones: Iterable[Process]) -> bool:
    """Return whether nothing has changed that some processes depend on."""
    return not any(
        reason(one, before, False, session.packages(one.environment), session.alike(one.environment))
        for one, before in {(process.one, process.fingerprint) for process in ones}
    )


def resumed(block: Block, played: Iterable[Process]) -> tuple[Block, int]:
    """Return a block as it goes on, and how many of its rounds have all of its sides; ``played``: what these rounds
    gave.
    """
    of: dict[Combination, set[int]] = {side: set() for side in block.sides}
    for process in played:
        if process.round is not None:
            of[process.one].add(process.round)
    whole = len(set.intersection(*of.values()))
    return replace(block, passed=max(set().union(*of.values()), default=-1) + 1 - whole), whole


def in_both_states(found: Mapping[str, Sequence[Process]]) -> Callable[[Block], str]:
    """Return what says when the sides of a block take further turns; ``found``: what its rounds gave, by its name."""
    return lambda block: further_turns(found[block.name])


def further_turns(played: Iterable[Process]) -> str:
    """Return when the sides of a block take further turns, in which they retain freed memory, after what its rounds
    gave: where page faults say that it may matter until that was tried, and then always, if it does.
    """
    asked: dict[Combination, list[Process]] = defaultdict(list)
    for process in played:
        if process.retained:
            asked[process.one].append(process)
    return WHERE_FAULTS if not asked else ALWAYS if any(map(processes.takes_two_times, asked.values())) else NEVER


def write_results(session: Session, by_block: Mapping[str, list[Process]]) -> None:
    """Add what processes gave to asv's results of each environment: the median, of a time with the processes' figures
    as its samples.
    """
    by_file: dict[tuple[str, str], dict[Combination, list[Process]]] = defaultdict(lambda: defaultdict(list))
    for name, ones in by_block.items():
        for process in ones:
            if process.value is not None:
                by_file[process.one.environment, session.home(name)][process.one].append(process)
    for where, values in by_file.items():
        results = session.results_of(*where)
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
