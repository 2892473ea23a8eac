"""The project that a command works on: asv's configuration, repository and results, from the current directory."""

from __future__ import annotations

import os
import re
import subprocess
from functools import lru_cache
from pathlib import Path

from asv import util
from asv.config import Config
from asv.plugin_manager import plugin_manager

from arrayspeed.environments import suite
from arrayspeed.model.errors import UserError

CONFIG = "asv.conf.json"

#: What a number depends on, beside the environment, whose packages are recorded with it, and what of it only starts
#: processes, or says what cannot run.
MEASURED = ("kernels", "benchmarks")
PLUMBING = (
    *(f"benchmarks/{name}.py" for name in ("__init__", "preload", "page_tables", "blas_threads")),
    "kernels/requirements.py",
)

#: A commit's own name, which stays the same; others, as HEAD, do not.
FULL_HASH = re.compile("[0-9a-f]{40}")


def root() -> Path:
    """Return the nearest folder upwards that holds asv.conf.json.

    Raises
    ------
    UserError
        There is none.
    """
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / CONFIG).is_file():
            return folder
    raise UserError(f"no {CONFIG} in {here} or above: run this in a clone of the repository")


def refuse_in_clone() -> None:
    """Make sure that a wheel does not measure its own kernels where a clone's are meant.

    Raises
    ------
    UserError
        The current directory is in a clone.
    """
    here = Path.cwd()
    for folder in (here, *here.parents):
        if all((folder / name).exists() for name in (CONFIG, "arrayspeed", *MEASURED)):
            raise UserError(
                f"{folder} is a clone with kernels of its own, and this arrayspeed was installed from a wheel: "
                "run .venv/bin/arrayspeed of the clone"
            )


def load_config() -> Config:
    """asv's configuration with its plugins loaded.

    In a clone, the project's root becomes the current directory. A wheel uses the configuration that it carries, and
    stays where it is.

    Raises
    ------
    UserError
        The file is missing or not valid, or a wheel is used in a clone.
    """
    if suite.carried():
        refuse_in_clone()
    else:
        os.chdir(root())
    try:
        config = suite.configuration() if suite.carried() else Config.load(CONFIG)
        check(config)
        for plugin in config.plugins:
            plugin_manager.import_plugin(plugin)
    except util.UserError as error:
        raise UserError(f"{CONFIG}: {error}") from error
    except (ValueError, TypeError, LookupError, AttributeError, ImportError, RecursionError) as error:
        raise UserError(f"{CONFIG}: {str(error).partition(chr(10))[0]}") from error
    return config


def importable() -> Path:
    """Return the folder from which an environment imports `arrayspeed`, `benchmarks` and `kernels`, and
    nothing else.
    """
    return suite.SUITE if suite.carried() else root()


def check(config: Config) -> None:
    """Whether the configuration has the form that asv's has, as far as it is used here.

    Raises
    ------
    ValueError
        It has not; the message says where.
    """
    for name, kind in (
        ("include", list),
        ("plugins", list),
        ("pythons", list),
        ("results_dir", str),
        ("html_dir", str),
    ):
        if not isinstance(getattr(config, name), kind):
            raise ValueError(f'"{name}" must be a {"list" if kind is list else "text"}')
    for number, entry in enumerate(config.include, 1):
        where = f'entry {number} of "include"'
        if not isinstance(entry, dict) or not isinstance(entry.get("req"), dict):
            raise ValueError(f'{where} must have "req", with a version for each package')
        if not isinstance(entry.get("python"), str):
            raise ValueError(f'{where} must have "python", a version as text')
        for package, version in entry["req"].items():
            if not isinstance(version, str):
                raise ValueError(f"{where}: the version of {package} must be a text")


def git(*arguments: str) -> str:
    """Return what a git command prints, stripped.

    Raises
    ------
    UserError
        git is missing or refuses.
    """
    try:
        done = subprocess.run(["git", *arguments], capture_output=True, text=True, check=True)
    except FileNotFoundError as error:
        raise UserError("git is not installed") from error
    except subprocess.CalledProcessError as error:
        lines = error.stderr.strip().splitlines()
        raise UserError(f"git {arguments[0]}: {lines[-1] if lines else 'failed'}") from error
    return done.stdout.strip()


def measured_code(commit: str) -> str | None:
    """Return what tells whether two commits measure the same: git's list of the files that a number depends on.

    None where this clone, or this wheel, does not hold the commit.
    """
    if suite.carried():
        if commit not in ("HEAD", suite.Installed(suite.SUITE, "").commit):
            return None
        files = suite.listing(suite.SUITE, MEASURED).splitlines()
    else:
        try:
            files = tree(commit) if FULL_HASH.fullmatch(commit) else tree.__wrapped__(commit)
        except UserError:
            return None
    return "\n".join(line for line in files if line.partition("\t")[2] not in PLUMBING)


@lru_cache
def tree(commit: str) -> list[str]:
    """git's list of the measured files of a commit; an error is not remembered."""
    return git("ls-tree", "-r", commit, "--", *MEASURED).splitlines()


def short(commit: str) -> str:
    """Return a commit's name as people read it."""
    return commit[:7] if suite.carried() else git("rev-parse", "--short", commit)


def uncommitted() -> list[str]:
    """Return the changed or new files, not committed, that could change a number. A renamed file is one removed and one
    added.

    A wheel's results are named after its files, so it has none.
    """
    if suite.carried():
        return []
    status = git("status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--", *MEASURED)
    names = [entry.split(maxsplit=1)[1] for entry in status.split("\0") if entry]
    return [name for name in names if name not in PLUMBING]
