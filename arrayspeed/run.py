"""Measure: choose combinations, and have asv run them in chunks that are each safe once finished.

asv saves once an environment; a run killed in the middle loses all of it. Here a chunk is one benchmark at one
size in one environment, all its backends side by side, and is saved when it is finished. Started again, a run
leaves out what it finds finished of the same code. The measuring is asv's own, and so are the results.
"""

from __future__ import annotations

import contextlib
import fcntl
import itertools
import logging
import math
import os
import re
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from asv import environment, runner, util
from asv.benchmarks import Benchmarks
from asv.console import log
from asv.machine import Machine
from asv.repo import get_repo
from asv.results import Results

from arrayspeed.errors import UserError
from arrayspeed.progress import Progress
from arrayspeed.project import git, measured_code, uncommitted
from arrayspeed.results import parse_name, parse_parameters, result_commits
from arrayspeed.servers import serving
from kernels import BACKENDS, CATALOGUE, LIBRARIES
from kernels.backends.hardware import missing
from kernels.limits import too_large


@dataclass(frozen=True)
class Combination:
    """One value that asv can measure: an environment, a benchmark and an index into its parameters."""

    environment: str
    benchmark: str
    index: int
    family: str
    kernel: str
    dtype: str | None
    measure: str
    backend: str
    size: int | None
    device: str | None

    @property
    def library(self) -> str:
        """The library that runs it."""
        return BACKENDS[self.backend].library if self.backend in BACKENDS else self.backend

    @property
    def chunk(self) -> tuple:
        """Combinations with the same key are measured and saved together."""
        return self.environment, self.benchmark, self.size


@dataclass
class Selection:
    """Which combinations to measure; an empty list selects all.

    ``environments`` and ``patterns`` are substrings and regular expressions as asv takes them; ``sizes`` may hold
    ``small`` and ``large``, which stand for each kernel's own.
    """

    environments: list[str] = field(default_factory=list)
    libraries: list[str] = field(default_factory=list)
    versions: list[str] = field(default_factory=list)
    kernels: list[str] = field(default_factory=list)
    backends: list[str] = field(default_factory=list)
    sizes: list[str] = field(default_factory=list)
    devices: list[str] = field(default_factory=list)
    dtypes: list[str] = field(default_factory=list)
    measures: list[str] = field(default_factory=list)
    patterns: list[str] = field(default_factory=list)


@dataclass
class Session:
    """asv's own objects for one run."""

    config: object
    repo: object
    commits: list[str]
    machine: dict
    environments: dict[str, environment.Environment]
    benchmarks: Benchmarks

    @property
    def commit(self) -> str:
        """The commit that new results name."""
        return self.commits[0]

    def results_of(self, name: str, commit: str | None = None) -> Results:
        """What is saved of an environment at a commit, by default this run's, or an empty Results."""
        env = self.environments[name]
        commit = commit or self.commit
        results = Results(
            self.machine | {"python": env.python} | env.requirements,
            env.requirements,
            commit,
            self.repo.get_date(commit),
            env.python,
            env.name,
            env.env_vars,
        )
        results.load_data(self.config.results_dir)
        return results


def newest_of_all(config) -> str:
    """The name of the environment that holds most libraries.

    Raises
    ------
    UserError
        There is no environment.
    """
    environments = list(environment.get_environments(config, None))
    if not environments:
        raise UserError("asv.conf.json lists no environment")
    return max(environments, key=lambda env: len(env.requirements)).name


def open_session(config, selections: list[Selection]) -> Session:
    """Make the environments that are selected, and discover the benchmarks.

    Raises
    ------
    UserError
        No environment is selected, or one cannot be made.
    """
    every = environment.get_environments(config, None)
    environments = [env for env in every if any(selected(env, selection) for selection in selections)]
    if not environments:
        raise UserError("no environment of asv.conf.json has that library and version")
    repo = get_repo(config)
    machine = Machine.load()
    commits = same_code(repo, result_commits(config.results_dir, machine.machine))
    if changed := uncommitted():
        what = changed[0] if len(changed) == 1 else f"{changed[0]} and {len(changed) - 1} more files"
        print(f"warning: the results will name commit {commits[0][:8]}, and {what} differ from it", file=sys.stderr)
    machine.save(config.results_dir)
    try:
        for env in environments:
            env.create()
        with quiet():
            benchmarks = Benchmarks.discover(config, repo, environments, commits[:1])
        save_atomically(config.results_dir, lambda folder: write_benchmarks(benchmarks, folder))
        for env in environments:
            with quiet():
                env.install_project(config, repo, commits[0])
    except util.UserError as error:
        raise UserError(str(error)) from error
    except util.ProcessError as error:
        raise UserError(f"an environment cannot be made: {str(error).splitlines()[0]}") from error
    return Session(config, repo, commits, dict(machine.__dict__), {env.name: env for env in environments}, benchmarks)


def same_code(repo, candidates: Iterable[str]) -> list[str]:
    """The candidates whose kernels and benchmarks are those of HEAD, newest first; HEAD alone where there are none.

    A run goes on where it stopped although its results, or a page about them, were committed in between: what is
    measured is the same. New results name the newest of these commits.
    """
    head = measured_code("HEAD")
    same = [commit for commit in candidates if measured_code(commit) == head]
    return sorted(same, key=repo.get_date, reverse=True) or [repo.get_hash_from_name("HEAD")]


def selected(env: environment.Environment, selection: Selection) -> bool:
    """Whether an environment holds what is selected."""
    if selection.environments:
        return any(part in env.name for part in selection.environments)
    versions = subjects(env)
    found = [name for name in selection.libraries or LIBRARIES if name in versions]
    return bool(found) and (not selection.versions or any(versions[name] in selection.versions for name in found))


def subjects(env: environment.Environment) -> dict[str, str]:
    """The libraries that an environment is there to measure, with their versions.

    NumPy beside one other library is only its companion: measuring it there would repeat one number for every
    version of the other.
    """
    versions = {re.split(r"[\[ ]", name.removeprefix("pip+"))[0]: value for name, value in env.requirements.items()}
    found = {name: version for name, version in versions.items() if name in LIBRARIES}
    return {name: version for name, version in found.items() if name != "numpy"} if len(found) == 2 else found


def combinations(session: Session, selection: Selection) -> Iterator[Combination]:
    """Everything that is selected and can run: the library is in the environment, the device in the machine."""
    for env in session.environments.values():
        present = subjects(env) if selected(env, selection) else {}
        for name, benchmark in session.benchmarks.items():
            labels = parse_name(name)
            for index, parameters in enumerate(itertools.product(*benchmark["params"])):
                one = Combination(env.name, name, index, **labels, **parse_parameters(parameters))
                if one.library in present and wanted(one, selection) and can_run(one):
                    yield one


def wanted(one: Combination, selection: Selection) -> bool:
    """Whether a combination is selected."""
    kernel = CATALOGUE.get(one.kernel)
    sizes = {str(one.size)}
    if kernel is not None:
        sizes |= {label for label in ("small", "large") if getattr(kernel, label) == one.size}
    full_name = f"{one.benchmark}({one.backend!r}, {one.size}, {one.device!r})"
    return (
        (not selection.libraries or one.library in selection.libraries)
        and (not selection.kernels or one.kernel in selection.kernels)
        and (not selection.backends or one.backend in selection.backends)
        and (not selection.sizes or one.size is None or bool(sizes & set(selection.sizes)))
        and (not selection.devices or one.device is None or one.device in selection.devices)
        and (not selection.dtypes or one.dtype is None or one.dtype in selection.dtypes)
        and (not selection.measures or one.measure in selection.measures)
        and (not selection.patterns or any(re.search(pattern, full_name) for pattern in selection.patterns))
    )


def can_run(one: Combination) -> bool:
    """Whether a combination can give a number here; what cannot costs a process to find out."""
    kernel = CATALOGUE.get(one.kernel)
    if kernel is None:
        return True
    backend = BACKENDS[one.backend]
    return (
        kernel.why_not(backend.name, backend.library) is None
        and one.device in backend.devices
        and missing(one.device) is None
        and too_large(kernel, backend, one.size, one.dtype) is None
    )


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


def measure(session: Session, plan: list[Combination], rounds: int | None = None, append: bool = False) -> int:
    """Run a plan chunk by chunk, with progress; returns how many combinations failed.

    ``rounds`` is processes for each timing, by default the benchmark's own number. With ``append``, samples are
    added to those that are there, where a combination was measured before.
    """
    chunks = defaultdict(list)
    for one in plan:
        chunks[one.chunk].append(one)
    progress = Progress(chunks, rounds or 2)
    failures = 0
    with serving(session.benchmarks):
        for chunk, ones in chunks.items():
            progress.start(ones)
            outcome = run_chunk(session, chunk, ones, rounds, append)
            failures += sum(value is None for value in outcome.values())
            progress.finish(ones, outcome)
    progress.end()
    return failures


def run_chunk(session, chunk, ones, rounds, append) -> dict[Combination, float | None]:
    """Have asv measure one chunk, save it, and return its values; None is a failure."""
    env_name, name, _ = chunk
    env = session.environments[env_name]
    subset = session.benchmarks.filter_out(set(session.benchmarks) - {name})
    subset.benchmark_selection[name] = sorted(one.index for one in ones)
    results = session.results_of(env_name)
    with quiet():
        runner.run_benchmarks(
            subset,
            env,
            results=results,
            extra_params={"rounds": rounds} if rounds else {},
            record_samples=True,
            append_samples=append,
            launch_method=session.config.launch_method,
        )
    save_atomically(session.config.results_dir, results.save)
    values = results.get_result_value(name, session.benchmarks[name]["params"])
    outcome = {one: values[one.index] for one in ones}
    if any(value is None for value in outcome.values()):
        print(results.stderr.get(name, "").strip(), file=sys.stderr)
    return outcome


def write_benchmarks(benchmarks: Benchmarks, folder: str) -> None:
    """asv's benchmarks.json in another folder than the configured one."""
    util.write_json(os.path.join(folder, "benchmarks.json"), benchmarks._all_benchmarks, benchmarks.api_version)


def save_atomically(folder: str | Path, save) -> None:
    """Call ``save(temporary folder)`` and move what it wrote into place: a kill leaves the old file or the new."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix=".saving-") as temporary:
        save(temporary)
        for path in Path(temporary).rglob("*.json"):
            target = folder / path.relative_to(temporary)
            target.parent.mkdir(parents=True, exist_ok=True)
            with path.open("rb") as file:
                os.fsync(file.fileno())
            path.replace(target)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Keep asv's own log off the terminal, where the progress is."""
    with log.set_level(logging.ERROR):
        yield


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
        failures = measure(session, todo, rounds, append)
    minutes, seconds = divmod(round(time.monotonic() - started), 60)
    print(f"{len(todo)} measured in {minutes}:{seconds:02d}" + (f", {failures} failed" if failures else ""))
    return 1 if failures else 0
