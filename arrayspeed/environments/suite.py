"""The suite that a wheel carries: asv's configuration, and what stands in for the repository that asv wants.

Everything that is written goes to ``.arrayspeed/`` in the current directory.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from asv.config import Config
from asv.repo import Repo

import arrayspeed

#: Where a wheel holds `kernels`, `benchmarks` and asv.conf.json; a clone has no such folder.
SUITE = Path(arrayspeed.__path__[0], "suite")

#: In place of a clone's .asv/env, results and html.
FOLDERS = {"env_dir": ".arrayspeed/env", "results_dir": ".arrayspeed/results", "html_dir": ".arrayspeed/html"}


def carried() -> bool:
    """Return whether this is a wheel, which has its suite with it."""
    return SUITE.is_dir()


def configuration() -> Config:
    """Return the configuration in the wheel, with folders that a user can write to."""
    config = Config.load(str(SUITE / "asv.conf.json"))
    config.__dict__.update(FOLDERS, benchmark_dir=str(SUITE / "benchmarks"), repo=str(SUITE), dvcs=Installed.dvcs)
    return config


def listing(folder: Path, names: tuple[str, ...]) -> str:
    """Return what ``git ls-tree -r`` prints of these folders where they are committed as they are.

    So the same kernels have the same description in a wheel and in a clone.
    """
    paths = [path for name in names for path in (folder / name).rglob("*") if path.is_file()]
    files = {path.relative_to(folder).as_posix(): path for path in paths if "__pycache__" not in path.parts}
    return "\n".join(f"100644 blob {blob(files[name])}\t{name}" for name in sorted(files))


def blob(path: Path) -> str:
    """Return the name that git gives to the content of a file."""
    content = path.read_bytes()
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def name_of(listed: str) -> str:
    """Return what stands where a commit's name would: 40 hexadecimal digits, the same for the same files."""
    return hashlib.sha1(listed.encode(), usedforsecurity=False).hexdigest()


class Installed(Repo):  # type: ignore[misc]  # asv has no annotations
    """Stands in for the repository: one commit, named after what is measured.

    Results name it where those of a clone name a commit of git's, so that those of another wheel, with other kernels,
    are told apart from these.
    """

    dvcs = "arrayspeed-wheel"

    def __init__(self, url: str | Path, mirror_path: str) -> None:
        self.path = Path(url)
        self.commit = name_of(listing(self.path, ("kernels", "benchmarks")))

    @classmethod
    def url_match(cls, url: str) -> bool:
        """Only a configuration that says so has this kind of repository."""
        return False

    def get_hash_from_name(self, name: str) -> str:
        """Return the one commit, whatever it is called."""
        return self.commit

    def get_date(self, hash: str) -> int:
        """When the wheel was installed, or made, in milliseconds since 1970."""
        return int((self.path / "asv.conf.json").stat().st_mtime * 1000)

    def get_date_from_name(self, name: str) -> int:
        """As `get_date`."""
        return self.get_date(name)

    def get_name_from_hash(self, commit: str) -> None:
        """Return nothing: it has no other name."""
        return

    def get_tags(self) -> dict[str, str]:
        """There are none."""
        return {}

    def get_branch_commits(self, branch: str) -> list[str]:
        """Return the one commit."""
        return [self.commit]

    def get_revisions(self, commits: set[str]) -> dict[str, int]:
        """Return the one commit's number, if it is among those asked for."""
        return {self.commit: 0} if self.commit in commits else {}

    def pull(self) -> None:
        """There is nothing to fetch."""
