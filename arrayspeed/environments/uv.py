"""uv, which makes the environments: found beside arrayspeed, and told what pip was told."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from asv import util

from arrayspeed.environments import install
from arrayspeed.model.errors import UserError
from arrayspeed.model.text import printable

#: What says that there is no network: uv also says that in its hints.
UNREACHED = [row for row in install.FAILURES if row[1] == install.UNREACHABLE]


class Uv:
    """uv with its settings; ``wheels``: a folder of wheels that an index may no longer have.

    Raises
    ------
    UserError
        There is none, or pip's configuration cannot be read.
    """

    def __init__(self, wheels: Path | None = None) -> None:
        environment = {name: value for name, value in os.environ.items() if name not in ("VIRTUAL_ENV", "PYTHONPATH")}
        if wheels is not None:
            environment[install.WHEELS] = str(wheels)
        found = install.find_uv(environment)
        if found is None:
            raise UserError("uv is needed to make environments, and is not installed: pip install uv")
        self.path = found
        try:
            settings, self.flags = install.uv_settings(install.pip_options(sys.executable, environment), environment)
        except util.UserError as error:
            raise UserError(str(error)) from error
        self.environment = {**environment, **settings, "UV_NO_PROGRESS": "1", "UV_PYTHON_DOWNLOADS": "manual"}

    def run(self, *arguments: str, given: str = "", timeout: float = 3600.0) -> tuple[int, str, str]:
        """Status, output and messages of a command of uv."""
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

    def compile(
        self, requirements: Sequence[str], python: str, *options: str, preferred: Sequence[str] = ()
    ) -> tuple[list[str], str]:
        """The exact packages that requirements need, each ``name==version`` or ``name @ address``, and ""; or nothing
        and uv's words where it cannot be. ``python``: the path of an interpreter, or a version that need not be there.
        ``preferred``: exact packages to keep where the requirements allow.
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


def why(messages: str) -> str:
    """What uv said, in a line, without addresses."""
    text = install.error_text(messages, True) or messages
    if any(re.search(pattern, messages, re.IGNORECASE) for pattern, reason in UNREACHED):
        return install.UNREACHABLE
    for pattern, reason in install.FAILURES:
        if re.search(pattern, text, re.IGNORECASE):
            return reason
    said = re.findall(r"^\s*(?:error|Caused by): (.*)", messages, re.MULTILINE)
    return printable(install.last_line(said[-1] if said else messages)) or "uv failed without a word"
