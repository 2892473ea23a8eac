"""An interpreter that is there already, with its libraries, as an environment: nothing is made or installed.

What a machine with an accelerator and no network has. asv's own ``existing`` environment does not know what is in it;
this one reads the versions, so that results say what they are of.
"""

from __future__ import annotations

import copy
import glob
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from asv import environment, util
from asv.config import Config
from asv.plugins.virtualenv import Virtualenv

import kernels
from arrayspeed.environments.plugin import LIST_PACKAGES, PACKAGES, PATH_FOR_ASV, Venv, parse_packages
from arrayspeed.model.errors import UserError
from kernels import LIBRARIES
from kernels.backends.table import distributions

NAME = "existing"

#: Where `tools/gpu` unpacks what measures. No number depends on it, so that it is no package of the interpreter.
CARRIED = Path(kernels.__file__).parents[1] / ".gpu"


def configure(config: Config, interpreter: str) -> Config:
    """Return a copy of asv's configuration that has this interpreter for its only environment.

    Raises
    ------
    UserError
        It does not run, or lacks what measuring needs.
    """
    interpreter = os.path.abspath(shutil.which(interpreter) or interpreter)
    found = look(interpreter)
    everything = look(interpreter, carried=True)
    # What its user added to its path is part of it.
    if "PYTHONPATH" in os.environ:
        os.environ.setdefault(PATH_FOR_ASV, os.environ["PYTHONPATH"])
    if "asv_runner" not in everything["packages"]:
        raise UserError(
            f"{interpreter} lacks asv_runner, which measuring needs: {interpreter} -m pip install asv_runner==0.3.2"
        )
    if not versions(found["packages"]):
        raise UserError(f"{interpreter} has none of {', '.join(LIBRARIES)}")
    only = copy.copy(config)
    only.environment_type = Existing.tool_name
    only.pythons, only.matrix, only.include, only.exclude = [interpreter], {}, [], []
    return only


def look(interpreter: str, carried: bool = False) -> dict[str, Any]:
    """Return the packages and the version of an interpreter; ``carried``: with what is there only to measure.

    Raises
    ------
    UserError
        It does not run.
    """
    # As it is when it measures: with what its user added to its path.
    path = [
        one for one in os.environ.get("PYTHONPATH", "").split(os.pathsep) if one and (carried or not is_carried(one))
    ]
    env = os.environ | {"PYTHONPATH": os.pathsep.join(path)}
    try:
        done = subprocess.run(
            [interpreter, "-c", LIST_PACKAGES], capture_output=True, text=True, timeout=120, check=True, env=env
        )
        found: dict[str, Any] = json.loads(done.stdout)
        return found
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        raise UserError(f"{interpreter} cannot be run as Python ({type(error).__name__})") from error


def is_carried(folder: str) -> bool:
    """Return whether it is where what measures was unpacked."""
    return Path(folder).resolve() == CARRIED.resolve()


def versions(packages: dict[str, str]) -> dict[str, str]:
    """Library -> version, of those that are there: under their own name, or one that says for what they are built."""
    found = {}
    bare = {re.sub(r"[-_.]+", "-", name).lower(): version for name, version in packages.items()}
    for library in LIBRARIES:
        known = [name for name in (library, *distributions(library)) if name in bare]
        built = rf"{library}-(cpu|gpu|cuda\w+|rocm\S+)"
        names = known or sorted(name for name in bare if re.fullmatch(built, name))
        if names:
            found[library] = bare[names[0]]
    return found


def take(config: Config, names: list[str]) -> tuple[Config, list[str]]:
    """Return the configuration and the environments where ``existing`` or ``existing:INTERPRETER`` is among those
    named; as they are where it is not. Without a path it is the interpreter that runs this.

    Raises
    ------
    UserError
        It does not run or cannot measure, or other environments are named beside it.
    """
    chosen = [name for name in names if name.partition(":")[0] == NAME]
    if not chosen:
        return config, names
    if len(names) > 1:
        raise UserError(f"--environment {chosen[0]} cannot be combined with another environment")
    return configure(config, chosen[0].partition(":")[2] or sys.executable), []


class Existing(Venv):
    """The interpreter, its versions as asv's requirements."""

    tool_name = "existing-interpreter"

    def __init__(
        self, conf: Config, python: str, requirements: Mapping[str, str], tagged_env_vars: Mapping[tuple[str, str], str]
    ) -> None:
        try:
            found = look(python)
            self._carried = look(python, carried=True)["packages"].keys() - found["packages"].keys()
        except UserError as error:
            raise environment.EnvironmentUnavailable(str(error)) from error
        self._executable = python
        self._found = found
        self._wanted = []
        self._python = ".".join(found["python"].split(".")[:2])
        self._results_dir = os.path.abspath(conf.results_dir)
        self._requirements = versions(found["packages"])
        super(Virtualenv, self).__init__(conf, self._python, dict(self._requirements), tagged_env_vars)

    def find_executable(self, executable: str) -> str:
        """Return the interpreter itself."""
        return self._interpreter() if executable == "python" else super().find_executable(executable)

    def check_presence(self) -> bool:
        """Return whether it was looked at before; what is in it now is recorded."""
        try:
            if self.load_info_file(self._path) != self._info():
                return False
            self._record_packages()
        except (util.UserError, OSError):
            return False
        return True

    @property
    def _packages_file(self) -> Path:
        """One for each set of packages: with another path on the command line, the interpreter has others."""
        known = hashlib.sha256(repr(sorted(self._found["packages"].items())).encode()).hexdigest()[:8]
        return Path(self._path, f"packages-{known}.txt")

    def check_requirements(self) -> int:
        """Nothing is installed, so nothing has to be found."""
        return 0

    def alike(self) -> list[dict[str, str]]:
        """Older records had what was carried among the interpreter's packages."""
        own = self.packages()
        records = Path(self._results_dir).glob(f"*/*-{glob.escape(self.name)}{PACKAGES}")
        found = [parse_packages(path.read_text(encoding="utf-8", errors="replace")) for path in sorted(records)]
        return [one for one in found if {name: one[name] for name in one.keys() - self._carried} == own]

    def _look(self) -> dict[str, Any]:
        return self._found

    def _setup(self) -> None:
        Path(self._path).mkdir(parents=True, exist_ok=True)
        self._record_packages()
