"""What asv.conf.json says of a project: where its benchmarks are, what they need, and how it is built."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arrayspeed.model.errors import UserError

#: asv's own name of the file.
NAME = "asv.conf.json"

#: Parts of its matrix that are no requirements.
VARIABLES = ("env", "env_nobuild")


@dataclass(frozen=True)
class AsvProject:
    """A project's configuration.

    Attributes
    ----------
    benchmarks
        The folder of its benchmarks.
    requirements
        What its matrix asks for, the last value of each.
    build
        The commands that make a wheel; empty where pip makes it.
    """

    benchmarks: Path
    requirements: tuple[str, ...] = ()
    build: tuple[str, ...] = ()


def read(path: Path) -> AsvProject:
    """Return what a file says.

    Raises
    ------
    UserError
        It cannot be read, or says something that asv would not take.
    """
    from asv.util import UserError as AsvError
    from asv.util import load_json

    try:
        data = load_json(str(path), js_comments=True)
    except (OSError, ValueError, AsvError) as error:
        raise UserError(f"{path} cannot be read: {str(error).splitlines()[0]}") from error
    if not isinstance(data, dict):
        raise UserError(f"{path} is no configuration of asv")
    folder = data.get("benchmark_dir", "benchmarks")
    if not isinstance(folder, str):
        raise UserError(f"{path}: benchmark_dir is no text")
    return AsvProject(path.parent / folder, requirements(path, data.get("matrix") or {}), commands(path, data))


def requirements(path: Path, matrix: Any) -> tuple[str, ...]:
    """Return the requirements of a matrix; of several versions the last, and no package whose last is null."""
    if not isinstance(matrix, dict):
        raise UserError(f"{path}: matrix is no table")
    # Before asv 0.6 the matrix had the requirements themselves.
    named = matrix["req"] if "req" in matrix else {key: value for key, value in matrix.items() if key not in VARIABLES}
    found = []
    for name, versions in (named or {}).items():
        last = (versions[-1] if versions else "") if isinstance(versions, list) else versions
        if last is None:
            continue
        if not isinstance(last, str):
            raise UserError(f"{path}: the version of {name} is no text")
        pinned = last if not last or last[0] in "<>=!~" else f"=={last}"
        found.append(f"{name.removeprefix('pip+')}{pinned}")
    return tuple(found)


def commands(path: Path, data: dict[str, Any]) -> tuple[str, ...]:
    """Return the commands that build a wheel."""
    given = data.get("build_command") or []
    every = [given] if isinstance(given, str) else given
    if not isinstance(every, list) or not all(isinstance(each, str) for each in every):
        raise UserError(f"{path}: build_command is no list of commands")
    return tuple(every)
