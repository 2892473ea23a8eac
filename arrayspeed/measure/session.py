"""asv's own objects for one run: environments, benchmarks, and the results that it adds to."""

from __future__ import annotations

import contextlib
import copy
import logging
import os
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from asv import environment, util
from asv.benchmarks import Benchmarks
from asv.config import Config
from asv.console import log
from asv.machine import Machine
from asv.repo import Repo, get_repo
from asv.results import Results

from arrayspeed.environments import interpreters
from arrayspeed.environments.plugin import Venv
from arrayspeed.environments.project import measured_code, uncommitted
from arrayspeed.formats.progress import say
from arrayspeed.measure.host import keep_state
from arrayspeed.measure.plan import Selection, nothing, selected, worth_making
from arrayspeed.model.errors import UserError
from arrayspeed.model.libraries import PYTHON, held, of_python
from arrayspeed.model.text import printable
from arrayspeed.model.units import plural
from arrayspeed.records.results import result_commits


@dataclass
class Session:
    """asv's own objects for one run.

    Attributes
    ----------
    commits, older
        Those whose measured code is that of HEAD, newest first, and others that have results.
    homes
        Block -> the older commit at which its rounds go on (`arrayspeed.measure.block_results.stored`).
    failures
        Environment and asv's ``benchmark-index`` -> why that process gave no value, and its class.
    round
        How many processes of the combinations in work there were before.
    unclean
        The working tree differs from the commit that new results name.
    origin
        What each record says of where it comes from.
    """

    config: Config
    repo: Repo
    commits: list[str]
    machine: dict[str, Any]
    environments: dict[str, environment.Environment]
    benchmarks: Benchmarks
    older: list[str] = field(default_factory=list)
    homes: dict[str, str] = field(default_factory=dict)
    failures: dict[tuple[str, str], tuple[str, str]] = field(default_factory=dict)
    round: int = 0
    unclean: bool = False
    origin: dict[str, Any] = field(default_factory=dict)

    @property
    def commit(self) -> str:
        """The commit that new results name."""
        return self.commits[0]

    def home(self, block: str) -> str:
        """Return the commit that the results of a block name."""
        return self.homes.get(block, self.commit)

    def packages(self, name: str) -> dict[str, str]:
        """Return the exact packages of an environment."""
        packages: dict[str, str] = self.environments[name].packages()
        return packages

    def alike(self, name: str) -> list[dict[str, str]]:
        """Other packages of an environment with which every number is the same."""
        alike: list[dict[str, str]] = self.environments[name].alike()
        return alike

    def results_of(self, name: str, commit: str | None = None) -> Results:
        """Return what is saved of an environment at a commit, by default this run's, or an empty Results.

        A file that is no result file is set aside, so that nothing of it is lost, and none of it is taken.
        """
        results = self.no_results(name, commit)
        try:
            results.load_data(self.config.results_dir)
        except util.UserError as error:
            set_aside(Path(self.config.results_dir, results._filename), str(error))
            results = self.no_results(name, commit)
        return results

    def no_results(self, name: str, commit: str | None = None) -> Results:
        """Empty Results of an environment at a commit, by default this run's."""
        env = self.environments[name]
        commit = commit or self.commit
        return Results(
            self.machine | {"python": env.python} | env.requirements,
            env.requirements,
            commit,
            self.repo.get_date(commit),
            env.python,
            env.name,
            env.env_vars,
        )


def set_aside(path: Path, why: str) -> None:
    """Rename a file that is no result file, and say so."""
    aside = path.with_name(f"{path.name}.broken")
    path.replace(aside)
    say(f"warning: {why}; kept as {aside.name}, and what it held is measured again")


def newest_of_all(config: Config) -> str:
    """Return the name of the environment that holds most libraries.

    Raises
    ------
    UserError
        There is no environment.
    """
    environments = list(environment.get_environments(config, None))
    if not environments:
        raise UserError("asv.conf.json lists no environment")
    name: str = max(environments, key=lambda env: len(env.requirements)).name
    return name


def of_one_library(config: Config) -> list[str]:
    """Return the names of the environments that measure a single library, of libraries with several releases, and
    Pythons.

    Raises
    ------
    UserError
        There is none.
    """
    releases = defaultdict(list)
    for env in environment.get_environments(config, None):
        found = held(env)
        if of_python(env.env_vars):
            releases[PYTHON].append(env.name)
        elif len(found) == 1:
            releases[next(iter(found))].append(env.name)
    names = [name for several in releases.values() if len(several) > 1 for name in several]
    if not names:
        raise UserError("asv.conf.json lists no two releases of a library in environments of their own")
    return names


def open_session(config: Config, selections: list[Selection], scratch: str | None = None) -> Session:
    """Make the environments that are selected and that anything selected can run in, and discover the benchmarks.

    Nothing is made before all of it is known to exist. ``scratch``: the folder that is written to instead of the
    results', by what is to leave nothing there. Packages are still installed as the results have them.

    Raises
    ------
    UserError
        No environment is selected, nothing can run there, or one cannot be made.
    """
    os.environ["ARRAYSPEED_TIER"] = "full"  # asv alone sees a part: benchmarks/common.py
    every = environment.get_environments(config, None)
    environments = [env for env in every if any(selected(env, selection) for selection in selections)]
    if not environments:
        raise UserError("no environment in asv.conf.json has that library and version")
    environments = [env for env in environments if worth_making(env, selections)]
    if not environments:
        raise UserError(nothing(selections))
    environments = [env for env in environments if not absent(env)]
    if not environments:
        raise UserError("none of the Pythons that asv.conf.json lists is on this machine")
    if scratch:
        config = copy.copy(config)
        config.results_dir = scratch
    repo = repository(config)
    machine = Machine.load()
    stored = result_commits(config.results_dir, machine.machine)
    commits = same_code(repo, stored)
    if changed := uncommitted():
        more = "" if len(changed) == 1 else f" and {plural(len(changed) - 1, 'more file')}"
        what = f"{printable(changed[0])}{more} differ{'' if more else 's'} from it"
        say(f"warning: the results will name commit {commits[0][:8]}, and {what}: recorded as unclean")
    machine.save(config.results_dir)
    keep_state(Path(config.results_dir, machine.machine))
    create(environments)
    for env in environments:
        env.keep_in(config.results_dir)
    try:
        with quiet():
            benchmarks = Benchmarks.discover(config, repo, environments, commits[:1])
        save_atomically(config.results_dir, lambda folder: write_benchmarks(benchmarks, folder))
        for env in environments:
            with quiet():
                env.install_project(config, repo, commits[0])
    except util.UserError as error:
        raise UserError(str(error)) from error
    except util.ProcessError as error:
        raise UserError(f"an environment cannot be created: {str(error).splitlines()[0]}") from error
    by_name = {env.name: env for env in environments}
    older = known(repo, set(stored) - set(commits))
    return Session(config, repo, commits, dict(machine.__dict__), by_name, benchmarks, older, unclean=bool(changed))


def absent(env: environment.Environment) -> bool:
    """Return whether it is there to compare Pythons, and its own is not on this machine: such a line is left out,
    aloud.
    """
    if not of_python(env.env_vars) or interpreters.find(env.python):
        return False
    say(f"Python {env.python} is not on this machine: left out")
    return True


def create(environments: list[environment.Environment]) -> None:
    """Make the environments that are not there. Nothing is made before all of it is known to exist.

    Raises
    ------
    UserError
        One cannot be made.
    """
    try:
        # asv announces a failure in a line of its own; the error says it better.
        with log.set_level(logging.CRITICAL):
            missing = [env for env in environments if not os.path.exists(env._path)]
            downloads = {env.name: env.check_requirements() for env in missing if isinstance(env, Venv)}
            for env in environments:
                if env in missing:
                    count = downloads.get(env.name)
                    how_much = f" ({plural(count, 'package')} to download)" if count else ""
                    say(f"Creating environment {env.name}{how_much} …")
                env.create()
    except util.UserError as error:
        raise UserError(str(error)) from error
    except util.ProcessError as error:
        raise UserError(f"an environment cannot be created: {str(error).splitlines()[0]}") from error


def repository(config: Config) -> Repo:
    """asv's object for the repository.

    Raises
    ------
    UserError
        The configuration names none.
    """
    try:
        return get_repo(config)
    except (util.UserError, util.ProcessError) as error:
        raise UserError(f"asv.conf.json: the repository {config.repo!r} cannot be read") from error


def same_code(repo: Repo, candidates: Iterable[str]) -> list[str]:
    """Return the candidates whose kernels and benchmarks are those of HEAD, newest first; HEAD alone where there are
    none.

    A run goes on where it stopped although its results, or a page about them, were committed in between: what is
    measured is the same. New results name the newest of these commits.
    """
    head = measured_code("HEAD")
    same = [commit for commit in candidates if measured_code(commit) == head]
    return known(repo, same) or [repo.get_hash_from_name("HEAD")]


def known(repo: Repo, commits: Iterable[str]) -> list[str]:
    """Return the commits that this clone has, newest first."""
    return sorted((one for one in commits if measured_code(one) is not None), key=repo.get_date, reverse=True)


def write_benchmarks(benchmarks: Benchmarks, folder: str) -> None:
    """asv's benchmarks.json in another folder than the configured one."""
    util.write_json(os.path.join(folder, "benchmarks.json"), benchmarks._all_benchmarks, benchmarks.api_version)


def save_atomically(folder: str | Path, save: Callable[[str], object]) -> None:
    """Call ``save(temporary folder)`` and move what it wrote into place: a kill leaves the old file or the new."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix=".saving-") as temporary:
        save(temporary)
        for path in [path for path in Path(temporary).rglob("*") if path.is_file()]:
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
