"""A first file of one's own, and a workflow that measures it: what ``arrayspeed init`` writes.

Both are files of this folder, so that tests and linters see what users get.
"""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from shlex import quote

from arrayspeed.model.errors import UserError

HERE = Path(__file__).parent

#: Where a repository has its workflows.
WORKFLOW = Path(".github/workflows/speed.yml")


def example(path: Path) -> str:
    """Return a file with a function of each kind, which names the commands that measure it."""
    return (HERE / "mine.py").read_text(encoding="utf-8").replace("FILE", quote(path.as_posix()))


def workflow(path: Path, project: str = ".") -> str:
    """Return a workflow that compares a pull request with its base."""
    text = (HERE / "workflow.yml").read_text(encoding="utf-8")
    for name, value in (
        ("VERSION", version("arrayspeed")),
        ("PROJECT", quote(project)),
        ("FILE", quote(path.as_posix())),
    ):
        text = text.replace(name, value)
    return text


def write(path: Path, text: str) -> None:
    """Write a new file.

    Raises
    ------
    UserError
        There is one already, which stays as it is.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError as error:
        raise UserError(f"{path} is there already, and stays as it is: name another file") from error
    except OSError as error:
        raise UserError(f"cannot write {path}: {error.strerror}") from error
