"""Environments that no line of asv.conf.json names, and the programs kept of such: what they hold, how large they are,
who uses them, their removal.

`arrayspeed upgrade` makes such environments, one for each version that the configuration does not list, and a line that
is removed from the configuration leaves one behind. `arrayspeed explain` keeps programs in a folder for each
environment, which outlives it.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from asv.config import Config
from asv.environment import get_environments

from arrayspeed.model.errors import UserError

#: asv names the folder of an environment by the MD5 of its description.
FOLDER = re.compile("[0-9a-f]{32}")

#: What the names of environments begin with: by these the folders of programs are called.
NAME = re.compile("venv-py.*")
INFO = "asv-env-info.json"
PROCESSES = Path("/proc")


@dataclass(frozen=True)
class Unused:
    """An environment that can go, or the programs of one.

    Attributes
    ----------
    path : Path
        Its folder.
    holds : str
        Its Python and its requirements, or why they are not known; or that it holds programs.
    size : int
        Bytes of its files.
    freed : int
        Bytes that its removal gives back: a file that is also linked from elsewhere, such as uv's cache, gives none.
    """

    path: Path
    holds: str
    size: int
    freed: int


def unused(config: Config) -> list[Unused]:
    """Return what no line of the configuration names, the largest first: environments in its folder, and programs."""
    named = list(get_environments(config, None))
    paths = {Path(each._path).name for each in named}
    names = {each.name for each in named}
    found = [
        *(Unused(path, holds(path), *sizes(path)) for path in folders(Path(config.env_dir), FOLDER, paths)),
        *(Unused(path, "compiled programs", *sizes(path)) for path in folders(programs(config.env_dir), NAME, names)),
    ]
    return sorted(found, key=lambda each: (-each.size, each.path.name))


def programs(env_dir: str | Path) -> Path:
    """Return where programs are kept, in a folder for each environment, by its name."""
    return Path(env_dir).parent / "programs"


def folders(parent: Path, pattern: re.Pattern[str], named: set[str]) -> list[Path]:
    """Return the folders whose names are as the pattern says and none of those; none where there is no parent."""
    if not parent.is_dir():
        return []
    return [
        path
        for path in parent.iterdir()
        if pattern.fullmatch(path.name) and path.name not in named and path.is_dir() and not path.is_symlink()
    ]


def holds(path: Path) -> str:
    """Return what an environment was made from, in a line."""
    if not (path / INFO).exists():
        return "incomplete"
    try:
        info = json.loads((path / INFO).read_text(encoding="utf-8"))
        packages = " ".join(f"{name} {version}".strip() for name, version in info["requirements"].items())
        return f"Python {info['python']}: {packages}"
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return f"unknown: its {INFO} cannot be read"


def sizes(path: Path) -> tuple[int, int]:
    """Bytes of a folder's files, each counted once, and of those that are linked from nowhere else."""
    links: dict[tuple[int, int], list[int]] = {}
    for parent, _, files in os.walk(path):
        for name in files:
            about = os.lstat(os.path.join(parent, name))
            one = links.setdefault((about.st_dev, about.st_ino), [about.st_size, about.st_nlink])
            one[1] -= 1
    return sum(size for size, _ in links.values()), sum(size for size, elsewhere in links.values() if not elsewhere)


def users(paths: list[Path], env_dir: Path) -> dict[str, int]:
    """Folder's name -> a process that uses the environment.

    A process uses an environment where its command line, its program, its working directory or a file that it has
    loaded is in it. A run of arrayspeed or asv that has the same folder of environments uses all of them: between two
    of its processes, none may be alive.

    Raises
    ------
    UserError
        The system does not tell which processes there are.
    """
    if not (PROCESSES / "self").exists():
        raise UserError(f"this system has no {PROCESSES}, so it is not known which environments are in use")
    found: dict[str, int] = {}
    for process in others():
        seen = traces(process)
        if runs_here(process, env_dir):
            return {path.name: int(process.name) for path in paths}
        found |= {path.name: int(process.name) for path in paths if f"/{path.name}" in seen}
    return found


def others() -> Iterator[Path]:
    """Yield the folders of /proc of all processes but this one."""
    for process in PROCESSES.iterdir():
        if process.name.isdigit() and int(process.name) != os.getpid():
            yield process


def traces(process: Path) -> str:
    """Return everything in which a process may name an environment: what of it this user may read."""
    parts = []
    for link in ("exe", "cwd"):
        try:
            parts.append(os.readlink(process / link))
        except OSError:  # it has ended, is the kernel's, or is another user's
            continue
    return "\n".join([*parts, *(content(process / name) for name in ("cmdline", "maps"))])


def content(path: Path) -> str:
    """Return a file of /proc; empty where the process has ended or is another user's."""
    try:
        return path.read_bytes().decode("utf-8", errors="replace")
    except OSError:
        return ""


def runs_here(process: Path, env_dir: Path) -> bool:
    """Return whether a process is arrayspeed or asv, working in a folder that has these environments."""
    words = content(process / "cmdline").split("\0")
    programs = words[:2] + [word for before, word in pairwise(words) if before == "-m"]  # a script follows its Python
    if not {"arrayspeed", "asv"} & {os.path.basename(program) for program in programs}:
        return False
    try:
        return os.path.samefile(Path(os.readlink(process / "cwd"), env_dir), env_dir)
    except OSError:
        return False


def remove(path: Path) -> None:
    """Delete such a folder. What marks an environment as complete goes first: what Ctrl-C leaves is never used."""
    (path / INFO).unlink(missing_ok=True)
    shutil.rmtree(path)
