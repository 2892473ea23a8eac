"""Measure: have asv run combinations in chunks that are each safe once finished.

asv saves once an environment; a run killed in the middle loses all of it. Here a chunk is one benchmark at one
size in one environment, side by side all backends that one part of a selection names, and is saved when it is finished.
Run again, it skips what is already finished with the same code. The measuring is asv's own, and so are the results.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import os
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from statistics import median

from asv import runner, util
from asv.config import Config
from asv.results import Results

from arrayspeed.formats.progress import clear, clock, say
from arrayspeed.measure import interrupts
from arrayspeed.measure.asv_servers import serving
from arrayspeed.measure.host import only_run
from arrayspeed.measure.plan import Selection, combinations, nothing, side_by_side
from arrayspeed.measure.progress import Progress
from arrayspeed.measure.session import Session, open_session, quiet, save_atomically
from arrayspeed.measure.stale import newest
from arrayspeed.model.combination import Combination
from arrayspeed.model.errors import UserError
from arrayspeed.model.failures import BROKEN, ERROR, NOT_AVAILABLE
from arrayspeed.model.measures import measure_of
from arrayspeed.model.units import human
from arrayspeed.records import processes
from arrayspeed.records.fingerprints import changed
from arrayspeed.records.processes import Process
from arrayspeed.records.results import result_commits, with_value
from benchmarks.batching import complaint

#: Processes for each time, unless asked for otherwise.
ROUNDS = 2


def finished(session: Session, plan: Iterable[Combination]) -> set[Combination]:
    """Return the combinations that have a value from the same code: of a commit in which nothing that is measured
    differs, or of one in which nothing differs that this value depends on.
    """
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
    folder, machine = session.config.results_dir, session.machine["machine"]
    commits = result_commits(folder, machine)
    for name, ones in by_environment.items():
        packages, as_good, wanted = session.packages(name), session.alike(name), {one.place: one for one in ones}
        shown = with_value(folder, machine, name)
        for measured, before, kept in newest(folder, machine, name, commits):
            # The newest value is the one that is shown, so it is the one that has to be of this code.
            if (meant := wanted.get(measured.place)) and before is not None:
                out_of_date = changed(before, meant, packages, kept_memory=kept, as_good=as_good)
                # A run that is killed between its two files leaves processes of which asv has no value.
                (done.add if meant.key in shown and not out_of_date else done.discard)(meant)
    return done


def measure(
    session: Session, plan: list[Combination], rounds: int = ROUNDS, append: bool = False, until: float = math.inf
) -> tuple[int, int]:
    """Run a plan chunk by chunk, with progress; returns how many combinations were measured, and how many failed.

    ``rounds`` is processes for each time. With ``append``, samples are added to the existing ones, where a
    combination was measured before. No chunk is begun that would last beyond ``until``, of `time.monotonic`.
    """
    chunks = in_chunks(plan)
    progress = Progress(chunks, lambda item: rounds if measure_of(item.measure).sampled else 1)
    measured = failures = 0
    with serving(session):
        for ones in chunks:
            interrupts.check()
            if time.monotonic() + progress.expected(ones) >= until:
                break
            progress.start(ones)
            outcome, wrong = run_chunk(session, ones, rounds, append)
            measured += len(ones)
            failures += wrong
            progress.finish(ones, ", ".join(f"{one.backend} {human(outcome[one], one.measure)}" for one in ones))
    clear()
    return measured, failures


def in_chunks(plan: Iterable[Combination]) -> list[list[Combination]]:
    """Return what is measured and saved together. What a later part of the plan adds to a chunk is one of its own, so
    that it does not delay the first parts.
    """
    return [list(ones) for _, ones in itertools.groupby(plan, lambda item: item.chunk)]


def run_chunk(
    session: Session, ones: list[Combination], rounds: int, append: bool
) -> tuple[dict[Combination, float | None], int]:
    """Have asv measure one chunk and save it; its values, and how many of them failed just now, each with a line."""
    first = ones[0]
    results = session.results_of(first.environment)
    found = []
    for number in range(rounds if measure_of(first.measure).sampled else 1):
        session.round = number
        found += run_once(session, ones, results, append or number > 0)
        if all(process.value is None for process in found):
            break
    # In this order: a kill in between leaves processes of a chunk that is measured again, which are as good as any.
    processes.store(session, first.environment, found)
    save_atomically(session.config.results_dir, results.save)
    values = results.get_result_value(first.benchmark, session.benchmarks[first.benchmark]["params"])
    return {one: values[one.index] for one in ones}, say_what_failed(session, found)


def say_what_failed(session: Session, played: list[Process]) -> int:
    """Print a line for each combination that gave no value though it can run here; how many that are.

    What is n/a is none, unless its library cannot be imported: an environment is there to hold it.
    """
    count = 0
    for process in {process.one: process for process in played if process.why}.values():
        one, why = process.one, process.why or ""
        broken = BROKEN in why or "is not installed" in why
        if broken:
            folder = os.path.relpath(session.environments[one.environment]._path)
            why += f"; for the environment to be recreated: rm -r {folder}"
        where = ", ".join(str(each) for each in (one.backend, one.size, one.device) if each is not None)
        available = process.kind != NOT_AVAILABLE or broken
        say(f"{'failed' if available else 'n/a'}: {one.benchmark}({where}): {why}")
        count += available
    return count


def run_once(session: Session, ones: list[Combination], results: Results, append: bool = False) -> list[Process]:
    """Have asv run combinations of one benchmark, a process each, and add what they give to ``results``.

    One that fails adds nothing, and what was there before it stays.
    """
    env, name = session.environments[ones[0].environment], ones[0].benchmark
    parameters = session.benchmarks[name]["params"]
    subset = session.benchmarks.filter_out(set(session.benchmarks) - {name})
    subset.benchmark_selection[name] = sorted(one.index for one in ones)
    old = Kept(results, name, parameters, name in results.get_result_keys(session.benchmarks))
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
    stats = results.get_result_stats(name, parameters)
    found = []
    for one in ones:
        samples = (after[one.index] or [])[len(old.samples[one.index] or []) if append else 0 :]
        value = median(samples) if samples else values[one.index]
        why, kind = session.failures.pop((env.name, f"{name}-{one.index}"), ("it gave no value", ERROR))
        if alone := measure_of(one.measure).batched and complaint(value, (stats[one.index] or {}).get("number")):
            value, why, kind = None, alone, ERROR
        if value is None or math.isnan(value):
            found.append(Process(one, None, why=why, kind=kind))
            old.restore(one.index)
        else:
            found.append(Process(one, value, samples))
    return found


class Kept:
    """What asv's results hold of a benchmark before it is run again."""

    def __init__(self, results: Results, name: str, parameters: list[list[str]], known: bool) -> None:
        nothing = [None] * math.prod(map(len, parameters))
        self.results = results
        self.name = name
        self.values = list(results.get_result_value(name, parameters)) if known else nothing
        self.samples = list(results.get_result_samples(name, parameters)) if known else nothing
        self.stats = list(results.get_result_stats(name, parameters)) if known else nothing

    def restore(self, index: int) -> None:
        """Put back what there was of one combination; what is n/a now stays so where there was no value."""
        value, now = self.values[index], (self.results._results.get(self.name) or [None] * len(self.values))[index]
        if (value is None or math.isnan(value)) and (now is None or math.isnan(now)):
            return
        for attribute, before in (("_results", self.values), ("_samples", self.samples), ("_stats", self.stats)):
            entries = getattr(self.results, attribute)
            entries[self.name] = entries.get(self.name) or [None] * len(before)
            entries[self.name][index] = before[index]


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """Let Ctrl-C be Ctrl-C, which asv turns into an error of its own."""
    try:
        yield
    except util.UserError as error:
        if str(error) == "Interrupted.":
            raise KeyboardInterrupt from error
        raise UserError(str(error)) from error


def run(
    config: Config,
    selections: list[Selection],
    rounds: int | None = None,
    again: bool = False,
    append: bool = False,
    timeout: float | None = None,
    minutes: float = math.inf,
    wait: bool = False,
) -> int:
    """Measure what is selected and not finished, in the order of the selections; returns the exit status.

    ``timeout``: seconds after which a process is ended, in place of the benchmark's own. ``minutes``: nothing is
    begun that would last longer. ``wait``: for another measurement on this host to end.
    """
    started = time.monotonic()
    with only_run(config.results_dir, wait):
        session = open_session(config, selections)
        if timeout is not None:
            for benchmark in session.benchmarks.values():
                benchmark["timeout"] = timeout
        parts = (side_by_side(session, combinations(session, selection)) for selection in selections)
        plan = list(dict.fromkeys(one for part in parts for one in part))
        if not plan:
            raise UserError(nothing(selections))
        done = set() if again or append else finished(session, plan)
        todo = [one for one in plan if one not in done]
        if done:
            print(f"{len(done)} of {len(plan)} are finished: nothing has changed that they depend on")
        until = started + 60 * minutes
        measured, failures = measure(session, todo, rounds or ROUNDS, append, until)
    failed = f", {failures} failed" if failures else ""
    print(f"{measured} measured in {clock(time.monotonic() - started)}{failed}")
    if left := len(todo) - measured:
        print(f"{left} left when time ran out; run again to continue")
    return 1 if failures else 0
