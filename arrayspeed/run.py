"""Measure: have asv run combinations in chunks that are each safe once finished.

asv saves once an environment; a run killed in the middle loses all of it. Here a chunk is one benchmark at one
size in one environment, all its backends side by side, and is saved when it is finished. Started again, a run
leaves out what it finds finished of the same code. The measuring is asv's own, and so are the results.
"""

from __future__ import annotations

import contextlib
import fcntl
import itertools
import math
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import median

from asv import runner, util
from asv.results import Results

from arrayspeed import processes
from arrayspeed.errors import UserError
from arrayspeed.plan import Combination, Selection, combinations
from arrayspeed.processes import Process
from arrayspeed.progress import Progress, is_timed
from arrayspeed.project import git
from arrayspeed.servers import serving
from arrayspeed.session import Session, open_session, quiet, save_atomically
from arrayspeed.units import human

#: Processes for each time, unless asked for otherwise.
ROUNDS = 2


def finished(session: Session, plan: Iterable[Combination]) -> set[Combination]:
    """The combinations that have a value of the same code."""
    done = set()
    by_environment = defaultdict(list)
    for one in plan:
        by_environment[one.environment].append(one)
    for (name, ones), commit in itertools.product(by_environment.items(), session.commits):
        results = session.results_of(name, commit)
        known = results.get_result_keys(session.benchmarks)
        values = {
            benchmark: results.get_result_value(benchmark, session.benchmarks[benchmark]["params"])
            for benchmark in {one.benchmark for one in ones} & known
        }
        for one in ones:
            value = values.get(one.benchmark, {one.index: None})[one.index]
            if value is not None and not (isinstance(value, float) and math.isnan(value)):
                done.add(one)
    return done


def measure(session: Session, plan: list[Combination], rounds: int = ROUNDS, append: bool = False) -> int:
    """Run a plan chunk by chunk, with progress; returns how many combinations failed.

    ``rounds`` is processes for each time. With ``append``, samples are added to those that are there, where a
    combination was measured before.
    """
    chunks = defaultdict(list)
    for one in plan:
        chunks[one.chunk].append(one)
    progress = Progress(chunks, lambda one: rounds if is_timed(one) else 1)
    failures = 0
    with serving(session.benchmarks):
        for ones in chunks.values():
            progress.start(ones)
            outcome = run_chunk(session, ones, rounds, append)
            failures += sum(value is None for value in outcome.values())
            progress.finish(ones, ", ".join(f"{one.backend} {human(outcome[one], one.measure)}" for one in ones))
    progress.end()
    return failures


def run_chunk(session: Session, ones: list[Combination], rounds: int, append: bool) -> dict[Combination, float | None]:
    """Have asv measure one chunk, save it, and return its values; None is a failure."""
    first = ones[0]
    results = session.results_of(first.environment)
    found = []
    for number in range(rounds if is_timed(first) else 1):
        found += run_once(session, ones, results, append or number > 0)
        if all(process.value is None for process in found):
            break
    # In this order: a kill in between leaves processes of a chunk that is measured again, which are as good as any.
    processes.store(session, first.environment, found)
    save_atomically(session.config.results_dir, results.save)
    values = results.get_result_value(first.benchmark, session.benchmarks[first.benchmark]["params"])
    outcome = {one: values[one.index] for one in ones}
    if any(value is None for value in outcome.values()):
        print(results.stderr.get(first.benchmark, "").strip(), file=sys.stderr)
    return outcome


def run_once(session: Session, ones: list[Combination], results: Results, append: bool = False) -> list[Process]:
    """Have asv run combinations of one benchmark, a process each, and add what they give to ``results``."""
    env, name = session.environments[ones[0].environment], ones[0].benchmark
    parameters = session.benchmarks[name]["params"]
    subset = session.benchmarks.filter_out(set(session.benchmarks) - {name})
    subset.benchmark_selection[name] = sorted(one.index for one in ones)
    known = append and name in results.get_result_keys(session.benchmarks)
    before = results.get_result_samples(name, parameters) if known else [None] * math.prod(map(len, parameters))
    with quiet(), interruptible():
        runner.run_benchmarks(
            subset,
            env,
            results=results,
            extra_params={"rounds": 1},
            record_samples=True,
            append_samples=append,
            launch_method=session.config.launch_method,
        )
    values = results.get_result_value(name, parameters)
    after = results.get_result_samples(name, parameters)
    found = []
    for one in ones:
        samples = (after[one.index] or [])[len(before[one.index] or []) :]
        value = median(samples) if samples else values[one.index]
        found.append(Process(one, None if value is None or math.isnan(value) else value, samples))
    return found


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """Let Ctrl-C be Ctrl-C, which asv turns into an error of its own."""
    try:
        yield
    except util.UserError as error:
        if str(error) == "Interrupted.":
            raise KeyboardInterrupt from error
        raise UserError(str(error)) from error


@contextlib.contextmanager
def only_run(folder: str | Path) -> Iterator[None]:
    """Let one run at a time measure into a folder: two would disturb each other's times, and their files.

    Raises
    ------
    UserError
        Another run is measuring.
    """
    Path(folder).mkdir(parents=True, exist_ok=True)
    with open(Path(folder) / ".lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise UserError("another run is measuring into the same results: wait for it, or stop it") from error
        yield


def run(config, selections: list[Selection], rounds=None, again=False, append=False) -> int:
    """Measure what is selected and not finished, in the order of the selections; returns the exit status."""
    started = time.monotonic()
    with only_run(config.results_dir):
        session = open_session(config, selections)
        plan = list(dict.fromkeys(one for selection in selections for one in combinations(session, selection)))
        if not plan:
            raise UserError("nothing that can run here is selected; `python -m kernels` lists what there is")
        done = set() if again or append else finished(session, plan)
        todo = [one for one in plan if one not in done]
        if done:
            print(f"{len(done)} of {len(plan)} are finished at commit {git('rev-parse', '--short', session.commit)}")
        failures = measure(session, todo, rounds or ROUNDS, append)
    minutes, seconds = divmod(round(time.monotonic() - started), 60)
    print(f"{len(todo)} measured in {minutes}:{seconds:02d}" + (f", {failures} failed" if failures else ""))
    return 1 if failures else 0
