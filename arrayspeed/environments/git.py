"""A user's git repository, which is read and never written: commits are checked out in a repository of our own.

That one borrows the user's objects (gitrepository-layout, ``objects/info/alternates``), so that it costs no copy, and a
commit that was made a moment ago is there. Nothing in the user's is touched: no checkout, index, stash, reference or
worktree entry, and no hook runs, so that a kill leaves nothing to clean up.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from arrayspeed.model.errors import UserError
from arrayspeed.model.text import printable

#: What stands for the working tree, with everything in it that is not ignored.
WORKING_TREE = "."

#: What no command of ours may do: run hooks, ask for a password, pack the user's objects.
QUIET = ("-c", "core.hooksPath=/dev/null", "-c", "gc.auto=0", "-c", "advice.detachedHead=false")

#: Who made the commit that stands for a working tree; it is in our repository alone.
AUTHOR = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "arrayspeed"), ("EMAIL", "arrayspeed@localhost"), ("DATE", "2000-01-01T00:00:00Z"))
}


@dataclass(frozen=True)
class Commit:
    """A commit.

    Attributes
    ----------
    hash
        Its full name.
    tree
        That of its content.
    asked
        What somebody called it: ``main``, ``HEAD~2``, ``.``.
    subject, date
        Its first line, and its day.
    """

    hash: str
    tree: str
    asked: str
    subject: str = ""
    date: str = ""

    @property
    def short(self) -> str:
        """Its first letters."""
        return self.hash[:9]

    @property
    def label(self) -> str:
        """What people call it."""
        if self.asked == WORKING_TREE:
            return "working tree"
        return self.short if self.hash.startswith(self.asked) else f"{self.asked} ({self.short})"


class Repository:
    """The repository that holds a folder.

    Parameters
    ----------
    folder
        A folder in its working tree.
    own
        Where our repository is made.

    Raises
    ------
    UserError
        It is in none, or git is not installed.
    """

    def __init__(self, folder: Path, own: Path) -> None:
        if not folder.is_dir():
            raise UserError(f"--project {folder} is no folder")
        self.root = Path(run(folder, "rev-parse", "--show-toplevel", why=f"{folder} is in no git repository"))
        self.folder = folder.resolve().relative_to(self.root.resolve())
        self.own = own

    def ask(self, *command: str, variables: Mapping[str, str] | None = None, why: str = "") -> str:
        """Return what git says in the user's repository, which the command must not change."""
        return run(self.root, *command, variables=variables, why=why)

    def commit(self, text: str) -> Commit:
        """Return a commit by any of its names.

        Raises
        ------
        UserError
            There is none.
        """
        if text == WORKING_TREE:
            return self.working_tree()
        try:
            name = self.ask("rev-parse", "--verify", "--quiet", "--end-of-options", f"{text}^{{commit}}", why="?")
        except UserError as error:
            shallow = self.ask("rev-parse", "--is-shallow-repository") == "true"
            hint = ", which is shallow: git fetch --unshallow" if shallow else ""
            raise UserError(f"there is no commit {printable(text)!r} in {self.root.name}{hint}") from error
        return self.known(name, text)

    def known(self, name: str, asked: str) -> Commit:
        """Return a commit by its full name."""
        tree, day, subject = self.ask("show", "--no-patch", "--format=%T%n%cs%n%s", name).split("\n", 2)
        return Commit(name, tree, asked, subject, day)

    def working_tree(self) -> Commit:
        """Return the working tree as a commit of our repository: what is tracked or untracked, and not ignored."""
        self.prepare()
        index = self.own / "index-of-working-tree"
        index.unlink(missing_ok=True)
        theirs = Path(self.ask("rev-parse", "--path-format=absolute", "--git-path", "index"))
        if theirs.exists():
            # With its time: a file that changed within the same tick, to the same size, is told by that.
            shutil.copy2(theirs, index)
        variables = {
            "GIT_INDEX_FILE": str(index),
            "GIT_OBJECT_DIRECTORY": str(self.own / "objects"),
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": self.objects(),
        }
        self.ask("add", "--all", ".", variables=variables, why="the working tree cannot be read")
        tree = self.ask("write-tree", variables=variables)
        head = self.ask("rev-parse", "--verify", "--quiet", "HEAD", why="the repository has no commit yet")
        if tree == self.ask("rev-parse", "HEAD^{tree}"):
            return self.known(head, WORKING_TREE)
        made = self.ask("commit-tree", tree, "-p", head, "-m", "working tree", variables=variables | AUTHOR)
        return Commit(made, tree, WORKING_TREE, "working tree")

    def first_parents(self, old: Commit, new: Commit) -> list[Commit]:
        """Return the commits from one to a later one along first parents, both included.

        Raises
        ------
        UserError
            The one does not come before the other in that way.
        """
        names = self.ask("rev-list", "--first-parent", "--reverse", f"{old.hash}..{new.hash}").split()
        before = self.ask("rev-parse", "--verify", "--quiet", f"{names[0]}^", why="?") if names else ""
        if before != old.hash:
            raise UserError(f"{old.label} does not come before {new.label} along first parents")
        found = []
        for name in names:
            one = self.known(name, name)
            found.append(one if name != new.hash else new)
        return [old, *found]

    def objects(self) -> str:
        """Return the folder of the user's objects, and those that it borrows from itself."""
        return self.ask("rev-parse", "--path-format=absolute", "--git-path", "objects")

    def prepare(self) -> None:
        """Make our repository, or bring what it knows of the user's up to date."""
        if not (self.own / "HEAD").exists():
            shutil.rmtree(self.own, ignore_errors=True)
            self.own.parent.mkdir(parents=True, exist_ok=True)
            run(self.own.parent, "init", "--quiet", "--bare", str(self.own))
        (self.own / "objects" / "info" / "alternates").write_text(f"{self.objects()}\n")
        shallow = Path(self.ask("rev-parse", "--path-format=absolute", "--git-path", "shallow"))
        if shallow.exists():
            shutil.copyfile(shallow, self.own / "shallow")
        # Versions are often made from tags, and submodules are often named relative to where a repository came from.
        theirs = self.ask("for-each-ref", "--format=update %(refname) %(objectname)", "refs/tags").splitlines()
        ours = run(self.own, "for-each-ref", "--format=%(refname)", "refs/tags").splitlines()
        gone = {f"delete {name}" for name in ours} - {f"delete {line.split()[1]}" for line in theirs}
        if changes := [*theirs, *sorted(gone)]:
            run(self.own, "update-ref", "--stdin", given="".join(f"{line}\n" for line in changes))
        if origin := self.ask("config", "--default", "", "--get", "remote.origin.url"):
            run(self.own, "config", "remote.origin.url", origin)
        lfs = Path(self.ask("rev-parse", "--path-format=absolute", "--git-path", "lfs"))
        run(self.own, "config", "lfs.storage", str(lfs))

    def check_out(self, commit: Commit, place: Path) -> None:
        """Have a commit's files in a folder, with its submodules; whatever was there goes.

        Raises
        ------
        UserError
            They cannot be had: a submodule is not there, the disk is full.
        """
        self.prepare()
        remove(place)
        place.parent.mkdir(parents=True, exist_ok=True)
        run(self.own, "worktree", "prune")
        run(self.own, "worktree", "add", "--quiet", "--detach", "--force", str(place), commit.hash)
        if not (place / ".gitmodules").exists():
            return
        listed = run(place, "config", "--file", ".gitmodules", "--get-regexp", r"^submodule\..*\.path$")
        for line in listed.splitlines():
            name = line.split()[0].removeprefix("submodule.").removesuffix(".path")
            known = Path(self.ask("rev-parse", "--path-format=absolute", "--git-path", f"modules/{name}"))
            if known.is_dir():
                run(place, "config", f"submodule.{name}.url", str(known))
        run(
            place,
            *("-c", "protocol.file.allow=always", "submodule", "update", "--quiet", "--init", "--recursive"),
            why=f"the submodules of {commit.label} cannot be had: git submodule update --init",
        )

    def has(self, commit: Commit, path: Path) -> bool:
        """Return whether a commit has a file or folder."""
        if path == Path():
            return True
        try:
            run(self.own, "cat-file", "-e", f"{commit.hash}:{path.as_posix()}", why="?")
        except UserError:
            return False
        return True


def remove(place: Path) -> None:
    """Remove a folder, whatever its permissions."""
    for folder, _, _ in os.walk(place):
        os.chmod(folder, 0o700)
    shutil.rmtree(place, ignore_errors=True)


def run(folder: Path, *command: str, given: str = "", variables: Mapping[str, str] | None = None, why: str = "") -> str:
    """Return what a command of git prints.

    Raises
    ------
    UserError
        It fails: ``why``, or its own words.
    """
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment |= {"GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C", **(variables or {})}
    try:
        done = subprocess.run(
            ["git", *QUIET, *command],
            cwd=folder,
            env=environment,
            input=given,
            capture_output=True,
            text=True,
            check=False,
        )
    except FileNotFoundError as error:
        raise UserError("git is needed for --commits, and is not installed") from error
    if done.returncode:
        raise UserError(why or f"git {next(iter(words(command)), '')}: {last_line(done.stderr)}")
    return done.stdout.strip()


def words(command: Iterable[str]) -> list[str]:
    """Return the words of a command that are no options."""
    return [word for word in command if re.fullmatch("[a-z-]+", word) and not word.startswith("-")]


def last_line(text: str) -> str:
    """Return the last line that says anything."""
    return printable(next((line for line in reversed(text.splitlines()) if line.strip()), "it failed without a word"))
