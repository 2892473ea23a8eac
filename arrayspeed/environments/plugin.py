"""Environments of our own, as an asv plugin: one virtualenv, one install, and a record of what is in it.

The benchmarked code is the working tree: the benchmarks package puts it on their path. So nothing is checked out or
built, and nothing installed but the libraries that are compared, and asv_runner.
"""

from __future__ import annotations

import functools
import json
import logging
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from asv import environment, util
from asv.config import Config
from asv.console import log
from asv.machine import Machine
from asv.plugins.virtualenv import Virtualenv
from asv.repo import Repo
from asv.results import get_filename

from arrayspeed.environments import failures, interpreters
from arrayspeed.environments.requirements import requirements as requirements_of
from arrayspeed.environments.requirements import satisfied
from arrayspeed.environments.uv import Uv, to_download
from arrayspeed.model.errors import UserError
from arrayspeed.model.libraries import PYTHON, SUBJECT

#: Under this name asv gives what it measures a PYTHONPATH, which it otherwise takes away.
PATH_FOR_ASV = "ASV_PYTHONPATH"

#: How the record of an environment's packages ends, beside its results.
PACKAGES = ".packages.txt"

LIST_PACKAGES = """
import importlib.metadata, json, platform
packages = {each.metadata["Name"]: each.version for each in importlib.metadata.distributions()}
python = f"{platform.python_version()} ({platform.python_implementation()})"
print(json.dumps({"python": python, "packages": packages}))
"""


def isolated() -> dict[str, str]:
    """Return the environment variables of a process that measures: without PYTHONPATH, or with the one meant for it."""
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", PATH_FOR_ASV)}
    return kept | ({"PYTHONPATH": os.environ[PATH_FOR_ASV]} if PATH_FOR_ASV in os.environ else {})


def wheels(env_dir: str | Path) -> Path:
    """Return where wheels are kept that an index may no longer have: beside the folder of environments."""
    return Path(env_dir).parent / "wheels"


@functools.cache
def find_python(version: str) -> tuple[str | None, str]:
    """Return an interpreter and the version that names its environments; None where it has to be fetched first.

    Where that is forbidden, this interpreter makes the environment, and the name says so.
    """
    one = interpreters.find(version)
    if one is not None or interpreters.may_fetch():
        return (one.path if one else None), version
    current = interpreters.this().name
    log.warning(
        f"Python {version} is not on this machine and may not be fetched: its environments are made with Python "
        f"{current} instead"
    )
    return sys.executable, current


def parse_packages(text: str) -> dict[str, str]:
    """Name -> version of a record of packages: ``name==version`` lines."""
    return dict(line.split("==", 1) for line in text.splitlines() if "==" in line)


def stored_packages(folder: str | Path, machine: str, environment: str, commits: list[str]) -> dict[str, str]:
    """Return the packages recorded with an environment's results, of the first commit that has any; empty where none
    has.
    """
    for commit in commits:
        path = Path(folder, get_filename(machine, commit, environment).removesuffix(".json") + PACKAGES)
        if path.is_file():
            return parse_packages(path.read_text(encoding="utf-8", errors="replace"))
    return {}


def recorded_packages(folder: str | Path, machine: str, environment: str) -> Path | None:
    """Return the record of an environment's packages that a machine's results have, of the newest commit that has
    values.
    """
    ending = os.path.basename(get_filename(machine, "", environment)).removesuffix(".json")
    found = [path for path in Path(folder, machine).glob(f"*{PACKAGES}") if path.name[8:] == ending + PACKAGES]
    dated = {path: date_of(path.with_name(path.name.removesuffix(PACKAGES) + ".json")) for path in sorted(found)}
    return max(dated, key=dated.__getitem__, default=None)


def date_of(values: Path) -> int:
    """When the commit of a file of asv's results was made, in ms; 0 where there is no such file, or it is damaged."""
    try:
        return int(json.loads(values.read_bytes())["date"])
    except (OSError, ValueError, KeyError, TypeError):
        return 0


class Venv(Virtualenv):  # type: ignore[misc]  # asv has no annotations
    """A virtualenv with everything resolved in one install.

    It is complete when its info file is there, which is written last; what a kill leaves behind is made anew.
    """

    tool_name = "venv"

    def __init__(
        self, conf: Config, python: str, requirements: Mapping[str, str], tagged_env_vars: Mapping[tuple[str, str], str]
    ) -> None:
        if not self.matches(python):
            raise environment.EnvironmentUnavailable(f"python must be a version such as 3.12 or 3.14t, not '{python}'")
        self._wanted = requirements_of(requirements)
        # A line that is there to compare Pythons is of its own or of none.
        exact = tagged_env_vars.get(("nobuild", SUBJECT)) == PYTHON
        self._executable, self._python = (None, python) if exact else find_python(python)
        self._results_dir = os.path.abspath(conf.results_dir)
        self._requirements = dict(requirements)
        # Not Virtualenv's own __init__, which does without the environment where it does not find the Python.
        super(Virtualenv, self).__init__(conf, self._python, self._requirements, tagged_env_vars)
        # asv has taken out what it would install itself (asv_runner, build requirements): here it is a requirement
        # like any other, and in the name.
        self._requirements = dict(requirements)
        self._global_env_vars["ASV_ENV_NAME"] = self.name

    @classmethod
    def matches(cls, python: str) -> bool:
        """Return whether this is a version of Python: any will do, see `find_python`."""
        return interpreters.NAME.fullmatch(python) is not None

    def check_presence(self) -> bool:
        """Return whether the environment is complete, runs, and holds what its requirements ask for."""
        try:
            if self.load_info_file(self._path) != self._info():
                return False
            packages = self._record_packages()
        except (util.UserError, OSError, ValueError, subprocess.SubprocessError):
            return False
        return satisfied(self._wanted, packages)

    def save_info_file(self, path: str) -> None:
        """Mark the environment as complete; asv calls this when everything else is done."""
        util.write_json(os.path.join(path, "asv-env-info.json"), self._info())

    def _info(self) -> dict[str, Any]:
        return {
            "tool_name": self.tool_name,
            "python": self._python,
            "requirements": self._requirements,
            "installed": [str(each) for each in self._wanted],
            "build_env_vars": self.build_env_vars,
        }

    def _setup(self) -> None:
        """Make the virtualenv and install into it; the interpreter is fetched where it is not there.

        Raises
        ------
        asv.util.UserError
            In one line, which requirement failed and why; the installer's words are in a file that it names.
        """
        uv = self._uv()
        # asv mutes what is said here, but a wait of a minute is worth a line.
        with log.set_level(logging.INFO):
            log.info(f"Creating environment {self.name}")
            started = time.monotonic()
            self._make_virtualenv(uv)
            self._install_requirements(uv)
            self._record_packages()
            log.info(f"Created in {time.monotonic() - started:.1f} s")

    def check_requirements(self) -> int:
        """Return how many packages must be downloaded; asked before anything is made.

        Raises
        ------
        asv.util.UserError
            Nothing fulfils the requirements, as `_setup` says it.
        """
        uv = self._uv()
        with tempfile.TemporaryDirectory() as folder:
            output, failed = self._call(uv, uv.trying(self._interpreter(), folder, self._wanted))
        if failed:
            self._fail(failures.diagnose(output, self._wanted), output)
        return to_download(output)

    def _interpreter(self) -> str:
        """Return the interpreter, which is fetched where this machine has none."""
        if self._executable is None:
            try:
                self._executable = interpreters.get(self._python, log.info).path
            except UserError as error:
                raise util.UserError(f"{error} (environment {self.name})") from error
        return self._executable

    def _uv(self) -> Uv:
        """Return what makes and fills it, with the variables of its line in asv.conf.json."""
        try:
            return Uv(wheels(self._env_dir), {**os.environ, **self.build_env_vars})
        except UserError as error:
            raise util.UserError(f"{error} (environment {self.name})") from error

    def _make_virtualenv(self, uv: Uv) -> None:
        executable = self._interpreter()
        output, failed = self._call(uv, uv.making(executable, self._path))
        if failed:
            self._fail(f"cannot make a virtualenv of {executable}", output)

    def _install_requirements(self, uv: Uv) -> None:
        python = self.find_executable("python")
        recorded = recorded_packages(self._results_dir, Machine.get_unique_machine_name(), self.name)
        output, failed = self._call(uv, uv.installing(python, self._wanted, recorded))
        # A negative status is a signal or a timeout: like a lost network, that says nothing of what is recorded.
        if failed > 0 and recorded and not failures.of_machine(output):
            output, failed = self._call(uv, uv.installing(python, self._wanted))
            if not failed:
                lost = f"what {os.path.relpath(recorded)} lists cannot be installed any more"
                log.warning(f"{self.name}: {lost}, so its values are out of date")
        if failed == util.TIMEOUT_RETCODE:
            names = ", ".join(map(str, self._wanted))
            self._fail(f"cannot install {names}: nothing happened for {self._install_timeout} s", output)
        if failed:
            self._fail(failures.diagnose(output, self._wanted), output)
        for complaint in failures.unknown_extras(output):
            log.warning(complaint)
        self._log_file.unlink(missing_ok=True)

    def _call(self, uv: Uv, command: list[str]) -> tuple[str, int]:
        """Return the output of a command of uv and its exit status."""
        output, _, status = util.check_output(
            command,
            env=uv.environment,
            timeout=self._install_timeout,
            valid_return_codes=None,
            return_stderr=True,
            redirect_stderr=True,
            display_error=False,
        )
        return output, status

    def _fail(self, message: str, output: str) -> None:
        self._log_file.parent.mkdir(parents=True, exist_ok=True)
        self._log_file.write_text(output, encoding="utf-8")
        raise util.UserError(f"{message} (environment {self.name}, see {os.path.relpath(self._log_file)})")

    @property
    def _log_file(self) -> Path:
        return Path(self._env_dir).parent / "logs" / f"{self.dir_name}.log"

    @property
    def _packages_file(self) -> Path:
        return Path(self._path, "packages.txt")

    def _record_packages(self) -> dict[str, str]:
        """Write down the exact version of everything in the environment, and return it."""
        found = self._look()
        # Environments that were made before uv was the only tool have pip as well.
        packages = {name: version for name, version in found["packages"].items() if name != "pip"}
        lines = [f"{name}=={packages[name]}" for name in sorted(packages, key=str.lower)]
        text = "\n".join([f"# Python {found['python']}", *lines, ""])
        # Another host that shares the folder may be reading it.
        if not self._packages_file.exists() or self._packages_file.read_text(encoding="utf-8") != text:
            self._packages_file.write_text(text, encoding="utf-8")
        return packages

    def _look(self) -> dict[str, Any]:
        """Return the version of Python and all packages."""
        output = self.run_executable("python", ["-I", "-c", LIST_PACKAGES], display_error=False, dots=False)
        found: dict[str, Any] = json.loads(output)
        return found

    def packages(self) -> dict[str, str]:
        """Return the exact version of everything in the environment, as it was recorded."""
        return parse_packages(self._packages_file.read_text(encoding="utf-8"))

    def alike(self) -> list[dict[str, str]]:
        """Return recorded packages that are not the same, but of which every number is."""
        return []

    def _results_file(self, commit_hash: str) -> Path:
        """Return where the packages are kept for the results of a commit: next to asv's own file, under its name."""
        name = get_filename(Machine.get_unique_machine_name(), commit_hash, self.name)
        return Path(self._results_dir, name.removesuffix(".json") + PACKAGES)

    def keep_in(self, folder: str) -> None:
        """Keep packages next to the results in this folder from now on."""
        self._results_dir = os.path.abspath(folder)

    def install_project(self, conf: Config, repo: Repo, commit_hash: str) -> None:
        """Note the commit, and keep the environment's exact packages next to its results."""
        if not self._packages_file.exists():
            self._record_packages()
        target = self._results_file(commit_hash)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(self._packages_file, target)
        self._set_commit_hash(commit_hash)
        self._set_build_dirs(None, None)
        self._set_installed_commit_hash(commit_hash)

    @property
    def installed_commit_hash(self) -> str | None:
        """The commit noted last, unless the packages next to its results are not those of today: asv notes it again."""
        commit_hash = super().installed_commit_hash
        if commit_hash is None:
            return None
        try:
            same = self._results_file(commit_hash).read_bytes() == self._packages_file.read_bytes()
        except OSError:
            same = False
        return commit_hash if same else None
