"""Wheels of commits: each is built once, in an environment of its own as its metadata ask, and kept."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import tempfile
import time
import tomllib
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import parse_wheel_filename

from arrayspeed.environments.git import Commit, Repository, remove
from arrayspeed.environments.interpreters import Interpreter
from arrayspeed.environments.uv import Uv
from arrayspeed.model.errors import UserError

#: What makes a Python project.
PROJECT_FILES = ("pyproject.toml", "setup.py")

#: What commands that build find in their environment.
BUILDING = ("pip", "build", "setuptools", "wheel")

#: Files of a wheel that say nothing of what it does: its own list, the metadata with the text of the README, and what
#: built it.
SAYS_NOTHING = ("RECORD", "METADATA", "WHEEL", "direct_url.json")


class Builder:
    """Builds wheels of a project's commits.

    Parameters
    ----------
    repository
        Where they are.
    folder
        Where wheels are kept.
    uv
        What builds.
    arguments
        Settings of the build (``-Cname=value``), which are given to all.
    say
        Is told what takes long.

    Attributes
    ----------
    commands
        Commands that build a wheel, as asv.conf.json has them; without any, the project's own metadata say how.
    needs
        Requirements that such commands find installed, as asv's matrix has them.
    """

    def __init__(
        self, repository: Repository, folder: Path, uv: Uv, arguments: Sequence[str], say: Callable[[str], None]
    ) -> None:
        self.repository, self.folder, self.uv, self.say = repository, folder, uv, say
        self.arguments = list(arguments)
        self.commands: Sequence[str] = ()
        self.needs: Sequence[str] = ()

    def wheel(self, commit: Commit, python: Interpreter) -> Path:
        """Return a commit's wheel: the one that is kept, or one that is built now.

        Raises
        ------
        UserError
            It cannot be built; the message names the log.
        """
        known = [commit.tree, self.repository.folder.as_posix(), str(python.version), self.arguments]
        known += [list(self.commands), list(self.needs)] if self.commands else []
        key = hashlib.sha256(json.dumps(known).encode()).hexdigest()[:16]
        place = self.folder / "wheels" / key
        if found := sorted(place.glob("*.whl")):
            return found[0]
        with tempfile.TemporaryDirectory(prefix="arrayspeed-build-", dir=made(self.folder)) as scratch:
            source = Path(scratch, "source")
            try:
                self.repository.check_out(commit, source)
                built = self.build(commit, source / self.repository.folder, Path(scratch, "built"), python)
            finally:
                remove(source)
            # Whole or not at all: a kill leaves a folder that the next run does not look into.
            staged = Path(tempfile.mkdtemp(prefix=".", dir=made(place.parent)))
            shutil.move(built, staged / built.name)
            staged.rename(place)
        return place / built.name

    def build(self, commit: Commit, source: Path, out: Path, python: Interpreter) -> Path:
        """Build a wheel from a folder."""
        if not any((source / name).exists() for name in PROJECT_FILES):
            raise UserError(
                f"{commit.label} has no {' or '.join(PROJECT_FILES)} in {self.repository.folder}: --project"
            )
        self.say(f"building {commit.label}{f': {commit.subject}' if commit.subject else ''} …")
        started = time.monotonic()
        if self.commands:
            status, output, messages = self.by_commands(commit, source, out, python)
        else:
            status, output, messages = self.by_metadata(source, out, python)
        found = sorted(out.glob("*.whl")) if out.exists() else []
        if status or len(found) != 1:
            log = made(self.folder / "logs") / f"{commit.short}.txt"
            log.write_text(f"{output}\n{messages}")
            raise CannotBuild(f"{commit.label} cannot be built with Python {python.name}: see {log}")
        self.say(f"built in {time.monotonic() - started:.0f} s")
        return found[0]

    def by_metadata(self, source: Path, out: Path, python: Interpreter) -> tuple[int, str, str]:
        """Build as pyproject.toml or setup.py says; the status, the output and the messages."""
        options = ["--wheel", "--no-create-gitignore", "--out-dir", str(out), "--python", python.path, *self.arguments]
        return self.uv.run("build", *options, str(source))

    def by_commands(self, commit: Commit, source: Path, out: Path, python: Interpreter) -> tuple[int, str, str]:
        """Build by commands, in an environment of their own that has what asv gives them; as `by_metadata`."""
        from asv.util import UserError as AsvError
        from asv.util import interpolate_command

        place = made(out).with_name("environment")
        program = str(place / "bin" / "python")
        for command in (
            ["venv", "--no-project", "--quiet", "--python", python.path, str(place)],
            ["pip", "install", "--quiet", "--python", program, *self.uv.flags, *BUILDING, *self.needs],
        ):
            status, output, messages = self.uv.run(*command)
            if status:
                return status, output, messages
        known = {"build_dir": source, "build_cache_dir": out, "conf_dir": source, "env_dir": place}
        values = {name: str(value) for name, value in known.items()}
        values |= {
            "commit": commit.hash,
            "project": self.repository.root.name,
            "env_name": place.name,
            "env_type": "uv",
        }
        environment = self.uv.environment | {f"ASV_{name.upper()}": value for name, value in values.items()}
        environment["PATH"] = os.pathsep.join([str(place / "bin"), environment.get("PATH", "")])
        said = ""
        for text in self.commands:
            try:
                words, more, allowed, folder = interpolate_command(text, values)
                done = subprocess.run(
                    words, cwd=folder or source, env=environment | more, capture_output=True, text=True, check=False
                )
            except (OSError, AsvError) as error:
                return 1, said, f"{text}: {error}"
            said += f"$ {text}\n{done.stdout}{done.stderr}"
            if done.returncode not in (allowed or {0}):
                return done.returncode or 1, said, ""
        return 0, said, ""


class CannotBuild(UserError):
    """A commit has no wheel."""


def made(folder: Path) -> Path:
    """Return a folder, made where it is not there."""
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def name_of_wheel(wheel: Path) -> str:
    """Return the project of a wheel."""
    return str(parse_wheel_filename(wheel.name)[0])


def content(wheel: Path) -> str:
    """Return a digest of what a wheel does: its files, without those that only describe it."""
    whole = hashlib.sha256()
    with zipfile.ZipFile(wheel) as archive:
        for name in sorted(archive.namelist()):
            folder, _, file = name.rpartition("/")
            if folder.endswith(".dist-info") and file in SAYS_NOTHING:
                continue
            # The folder of metadata has the version in its name.
            place = f".dist-info/{file}" if folder.endswith(".dist-info") else name
            whole.update(place.encode() + b"\0" + archive.read(name) + b"\0")
        for name in archive.namelist():
            if name.endswith(".dist-info/METADATA"):
                lines = archive.read(name).decode("utf-8", "replace").splitlines()
                whole.update("\n".join(sorted(line for line in lines if line.startswith("Requires-Dist:"))).encode())
    return whole.hexdigest()


def top_level(wheel: Path) -> set[str]:
    """Return the modules that a wheel brings."""
    with zipfile.ZipFile(wheel) as archive:
        first = {
            name.split("/")[0] for name in archive.namelist() if ".dist-info/" not in name and ".data/" not in name
        }
    return {name.partition(".")[0] for name in first}


def pythons_of(text: str) -> SpecifierSet:
    """Return the Pythons that a pyproject.toml allows; all where it does not say."""
    try:
        allowed = tomllib.loads(text).get("project", {}).get("requires-python", "")
        return SpecifierSet(allowed if isinstance(allowed, str) else "")
    except (tomllib.TOMLDecodeError, InvalidSpecifier, AttributeError):
        return SpecifierSet()
