"""uv, which makes the environments: found beside arrayspeed, and told what pip was told.

asv installs requirements one after another, each free to change the one before, reads ``jax[cuda13]`` as ``jax==13``
and drops local versions (``+cu121``). Here all of them are resolved together.
"""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from packaging.requirements import Requirement

from arrayspeed.environments.pip_options import pip_options, uv_settings
from arrayspeed.model.errors import UserError


def find_uv(env: Mapping[str, str]) -> str | None:
    """Return the path of uv: of the one installed with this, or the first on PATH; None where neither runs."""
    places = [str(Path(sys.executable).parent), env.get("PATH", "")]
    paths = [path for path in (shutil.which("uv", path=place) for place in places) if path]
    return next((path for path in paths if runs(path, "--version")), None)


@functools.cache
def runs(*command: str) -> bool:
    """Return whether a command succeeds: what version managers put on PATH need not work."""
    try:
        return subprocess.run(command, capture_output=True, timeout=60).returncode == 0
    except (OSError, subprocess.SubprocessError):
        return False


class Uv:
    """uv with its settings.

    Parameters
    ----------
    wheels
        A folder of wheels that an index may no longer have.
    variables
        Environment variables, of which pip's and uv's count.

    Raises
    ------
    UserError
        There is none, or pip's configuration cannot be read.
    """

    def __init__(self, wheels: Path | None = None, variables: Mapping[str, str] = os.environ) -> None:
        environment = {name: value for name, value in variables.items() if name not in ("VIRTUAL_ENV", "PYTHONPATH")}
        path = find_uv(environment)
        if path is None:
            raise UserError("uv is needed to make environments, and is not installed: pip install uv")
        self.path = path
        settings, self.flags = uv_settings(pip_options(environment), environment, wheels)
        self.environment = {**environment, **settings, "UV_NO_PROGRESS": "1", "UV_PYTHON_DOWNLOADS": "manual"}

    def run(self, *arguments: str, given: str = "", timeout: float = 3600.0) -> tuple[int, str, str]:
        """Run a command of uv, and return its status, output and messages."""
        done = subprocess.run(
            [self.path, *arguments],
            input=given,
            capture_output=True,
            text=True,
            env=self.environment,
            timeout=timeout,
            check=False,
        )
        return done.returncode, done.stdout, done.stderr

    def making(self, python: str, folder: str) -> list[str]:
        """Return the command that makes an empty virtualenv."""
        return [self.path, "venv", "--no-project", "--python", python, folder]

    def installing(self, python: str, wanted: Iterable[Requirement], recorded: Path | None = None) -> list[str]:
        """Return the command that installs everything into the virtualenv of ``python``.

        ``recorded``: ``name==version`` lines. What of it is needed is installed in that version.
        """
        flags = list(self.flags)
        if recorded:  # the flag replaces the variable
            others = self.environment.get("UV_CONSTRAINT", "").split()
            flags += [f"--constraint={path}" for path in (*others, recorded)]
        return [self.path, "pip", "install", "--python", python, *flags, *map(str, wanted)]

    def trying(self, python: str, folder: str, wanted: Iterable[Requirement]) -> list[str]:
        """Return the command that says what would be installed and downloaded, and does neither.

        ``python``: an interpreter of the version that is meant, of any environment; ``folder``: an empty one.
        """
        command = [self.path, "pip", "install", "--dry-run", "--target", folder, "--python", python]
        return [*command, *self.flags, *map(str, wanted)]

    def compile(
        self, requirements: Sequence[str], python: str, *options: str, preferred: Sequence[str] = ()
    ) -> tuple[list[str], str]:
        """Resolve requirements: the exact packages, each ``name==version`` or ``name @ address``, and ""; or nothing
        and uv's words where it cannot be.

        ``python``: the path of an interpreter, or a version that need not be there. ``preferred``: exact packages to
        keep where the requirements allow.
        """
        which = "--python-version" if re.fullmatch(r"[0-9.]+", python) else "--python"
        with tempfile.TemporaryDirectory(prefix="arrayspeed-") as folder:
            path = Path(folder, "packages.txt")
            path.write_text("".join(f"{pin}\n" for pin in preferred))  # uv keeps the versions of a file that is there
            arguments = ["pip", "compile", "-", "--no-header", "--no-annotate", "--quiet", which, python]
            given = "\n".join(requirements) + "\n"
            status, _, messages = self.run(*arguments, "--output-file", str(path), *self.flags, *options, given=given)
            lines = [line.strip() for line in path.read_text().splitlines()]
        if status and preferred:
            # Of several indexes, uv takes a preferred version from one that may lack it for this Python.
            return self.compile(requirements, python, *options)
        pins = [line for line in lines if line and not line.startswith(("#", "-"))]
        return (pins, "") if status == 0 else ([], messages or "uv failed without a word")


def to_download(output: str) -> int:
    """Return how many packages uv would download, by what it says of an install that it only tries."""
    match = re.search(r"Would download (\d+) package", output)
    return int(match[1]) if match else 0
