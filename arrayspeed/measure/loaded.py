"""Which BLAS and OpenMP the libraries of an environment load, asked of a process there and kept with the results."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import threadpoolctl

from arrayspeed.environments.plugin import isolated
from arrayspeed.environments.project import importable
from arrayspeed.measure.session import Session
from arrayspeed.records import loaded
from arrayspeed.records.fingerprints import of_packages

#: Seconds that a process has to import its libraries and to call each once.
TIMEOUT = 300


def of_environments(session: Session, backends: Iterable[str]) -> list[list[dict[str, Any]] | None]:
    """Return what each environment of a session loads where some backends are used; None where it cannot be told."""
    names = list(dict.fromkeys(backends))
    return [of_environment(session, environment, names) for environment in session.environments]


def of_environment(session: Session, environment: str, backends: Sequence[str]) -> list[dict[str, Any]] | None:
    """Return what one environment loads: as it is kept, or else asked now and kept."""
    folder = Path(session.config.results_dir, session.machine["machine"])
    packages = of_packages(session.packages(environment))
    if (known := loaded.of(folder, environment, packages, backends)) is not None:
        return known
    python = session.environments[environment].find_executable("python")
    found = asked(python, backends)
    if found is not None:
        loaded.add(folder, environment, packages, backends, found)
    return found


def asked(python: str, backends: Sequence[str]) -> list[dict[str, Any]] | None:
    """Return what a new process loads; None where it cannot tell."""
    command = [python, "-m", "arrayspeed.measure.loaded_worker", str(threadpoolctl.__file__), *backends]
    try:
        done = subprocess.run(
            command, cwd=importable(), env=isolated(), capture_output=True, text=True, timeout=TIMEOUT, check=True
        )
        line = next(line for line in done.stdout.splitlines() if line.startswith("@"))
        found: list[dict[str, Any]] | None = json.loads(line[1:])
    except (OSError, ValueError, StopIteration, subprocess.SubprocessError):
        return None
    return found
