"""Commits of somebody's own project as sides: each is built once as a wheel, and installed with the same companions.

What is measured comes from one place, the newer commit, so that both sides are asked the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from packaging.specifiers import SpecifierSet

from arrayspeed.environments import interpreters
from arrayspeed.environments.builds import Builder, content, made, name_of_wheel, pythons_of, top_level
from arrayspeed.environments.git import WORKING_TREE, Commit, Repository, remove, run
from arrayspeed.environments.interpreters import Interpreter
from arrayspeed.environments.uv import Uv
from arrayspeed.model.errors import UserError
from arrayspeed.own.sides import Build, Side

#: The folder of everything that is made of commits.
COMMITS = "commits"


@dataclass(frozen=True)
class Wanted:
    """What somebody asks for.

    Attributes
    ----------
    folder
        The project, in its repository.
    extras
        Of the project, on all sides.
    arguments
        Settings of the build.
    python
        A version; None for the first that all sides allow.
    benchmarks
        The commit that has what is measured; None for the newer side.
    """

    folder: Path = Path()
    extras: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    python: str | None = None
    benchmarks: str | None = None


class Project:
    """A project whose commits are compared.

    Parameters
    ----------
    wanted
        What somebody asks for.
    place
        Where repositories, wheels and checkouts are kept.
    say
        Is told what takes long.
    """

    def __init__(self, wanted: Wanted, place: Path, say: Callable[[str], None]) -> None:
        self.wanted, self.place, self.say = wanted, place / COMMITS, say
        made(self.place)
        (self.place / ".gitignore").write_text("*\n")
        for left in self.place.glob("arrayspeed-build-*"):  # of a run that was killed
            remove(left)
        self.repository = Repository(wanted.folder, self.place / "repository")
        self.uv = Uv(place / "wheels")
        arguments = [f"-C{text}" for text in wanted.arguments]
        self.builder = Builder(self.repository, self.place, self.uv, arguments, say)
        self.wheels: dict[str, Path] = {}

    def python(self, commits: Sequence[Commit]) -> Interpreter:
        """Return the Python of all sides: the one that is asked for, this one, or the newest that all allow.

        Raises
        ------
        UserError
            No interpreter at hand will do.
        """
        if self.wanted.python:
            return interpreters.get(self.wanted.python, self.say, self.uv)
        allowed = SpecifierSet(",".join(str(each) for each in map(self.allowed, commits) if str(each)))
        here = interpreters.this()
        for one in (here, *interpreters.at_hand()):
            if allowed.contains(one.version, prereleases=True):
                if one != here:
                    self.say(f"Python {one.name}: {self.repository.root.name} asks for {allowed}")
                return one
        raise UserError(f"{self.repository.root.name} asks for Python {allowed}, and none of these is on this machine")

    def allowed(self, commit: Commit) -> SpecifierSet:
        """Return the Pythons that a commit asks for."""
        self.repository.prepare()
        path = (self.repository.folder / "pyproject.toml").as_posix()
        try:
            return pythons_of(run(self.repository.own, "show", f"{commit.hash}:{path}"))
        except UserError:
            return SpecifierSet()

    def sides(self, texts: Sequence[str]) -> list[Side]:
        """Return commits as sides, each with its wheel.

        Raises
        ------
        UserError
            There is no such commit, or one cannot be built.
        """
        commits = [self.repository.commit(text) for text in texts]
        python = self.python(commits)
        return [self.side(commit, python) for commit in commits]

    def beside(self, sides: Sequence[Side]) -> list[Side]:
        """Return sides that all have the working tree, built once.

        Beside a lock file it is installed without what it asks for: the lock file has that, and an older one need not
        have what is asked for today.

        Raises
        ------
        UserError
            It cannot be built.
        """
        commit = self.repository.commit(WORKING_TREE)
        built = self.side(commit, self.python([commit]))
        return [
            replace(
                side,
                python=side.python or built.python,
                build=built.build,
                wanted=side.wanted + (() if side.lock else built.wanted),
                bare=built.wanted if side.lock else (),
            )
            for side in sides
        ]

    def side(self, commit: Commit, python: Interpreter) -> Side:
        """Return one commit as a side."""
        wheel = self.builder.wheel(commit, python)
        name = name_of_wheel(wheel)
        extras = f"[{','.join(self.wanted.extras)}]" if self.wanted.extras else ""
        self.wheels[commit.label] = wheel
        return Side(
            commit.label,
            (f"{name}{extras} @ {wheel.absolute().as_uri()}",),
            python=python.name,
            build=Build(content(wheel), tuple(sorted(top_level(wheel)))),
        )

    def same(self, sides: Sequence[Side]) -> bool:
        """Return whether nothing differs between the sides, so that nothing is left to measure."""
        return len({(side.build, side.python, side.variables) for side in sides}) == 1

    def benchmarks(self, path: str, newest: str) -> str:
        """Return where what is measured is: in the newer commit, where it is part of the repository.

        ``path``: a file or folder as somebody named it.
        """
        given = Path(path).absolute()
        name = self.wanted.benchmarks or newest
        root = self.repository.root.resolve()
        if name == WORKING_TREE or not given.resolve().is_relative_to(root):
            return path
        commit = self.repository.commit(name)
        inside = given.resolve().relative_to(root)
        self.repository.prepare()
        if not self.repository.has(commit, inside):
            if not given.exists():
                raise UserError(f"{path} is neither in {commit.label} nor on disk")
            self.say(f"{path} is not in {commit.label}: the one on disk is measured")
            return path
        place = self.place / "benchmarks" / commit.hash
        self.repository.check_out(commit, place)  # anew: a kill may have left a part of it
        return str(place / inside)
