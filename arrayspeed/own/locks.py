"""Lock files as requirements: requirements files, ``uv.lock`` and ``pylock.toml`` (PEP 751)."""

from __future__ import annotations

import shutil
import tempfile
import tomllib
from pathlib import Path

from packaging.requirements import InvalidRequirement, Requirement

from arrayspeed.model.errors import UserError
from arrayspeed.own.uv import Uv, why


def packages_of(uv: Uv, path: Path) -> list[str]:
    """What a lock file lists, as requirements with their markers.

    Raises
    ------
    UserError
        It is not there, or of no known kind.
    """
    if not path.is_file():
        raise UserError(f"{path} {'is a folder' if path.is_dir() else 'does not exist'}")
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"cannot read {path}: {getattr(error, 'strerror', None) or 'it is no text'}") from error
    data = as_toml(text, path) if path.suffix in (".lock", ".toml") else None
    try:
        if data and "lock-version" in data and "packages" in data:
            return of_pylock(data, path)
        if data and "package" in data:
            return of_uv(uv, data, path)
    except (KeyError, TypeError, AttributeError) as error:
        raise UserError(f"{path.name} is TOML, but neither what PEP 751 says nor uv's") from error
    return of_requirements(text, path)


def as_toml(text: str, path: Path) -> dict | None:
    """The content of a file in TOML; None where it is something else, which a requirements file may be.

    Raises
    ------
    UserError
        Its name says that it is TOML, and it is not.
    """
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        if path.suffix == ".toml" or path.name == "uv.lock":
            raise UserError(f"{path.name} is not TOML: {error}") from error
        return None


def of_pylock(data: dict, path: Path) -> list[str]:
    """PEP 751."""
    found = []
    for row in data["packages"]:
        if "version" not in row:
            raise UserError(f"{path.name} has {row.get('name')} from a folder or an address, which cannot be made here")
        marker = f" ; {row['marker']}" if row.get("marker") else ""
        found.append(f"{row['name']}=={row['version']}{marker}")
    return listed(found, path)


def listed(found: list[str], path: Path) -> list[str]:
    """What a file lists.

    Raises
    ------
    UserError
        Nothing.
    """
    if not found:
        raise UserError(f"{path.name} lists no package")
    return found


def of_uv(uv: Uv, data: dict, path: Path) -> list[str]:
    """uv's own lock file, exported by uv: which packages are for which system is not easily read."""
    if "lock-version" in data.get("metadata", {}):
        raise UserError(f"{path.name} is Poetry's: export it with poetry export --output requirements.txt")
    roots = [row for row in data["package"] if row.get("source", {}).keys() & {"virtual", "editable"}]
    if len(roots) != 1:
        raise UserError(f"{path.name} is of {len(roots)} projects, and one can be measured: export it with uv export")
    with tempfile.TemporaryDirectory(prefix="arrayspeed-") as folder:
        shutil.copyfile(path, Path(folder, "uv.lock"))
        python = data.get("requires-python", "")
        Path(folder, "pyproject.toml").write_text(
            f'[project]\nname = "{roots[0]["name"]}"\nversion = "{roots[0].get("version", "0")}"\n'
            + (f'requires-python = "{python}"\n' if python else "")
        )
        status, output, messages = uv.run(
            "export",
            "--frozen",
            "--no-hashes",
            "--no-header",
            "--no-annotate",
            "--no-emit-project",
            "--project",
            folder,
        )
    if status:
        raise UserError(f"{path.name} cannot be exported: {why(messages)}")
    return of_requirements(output, path)


def of_requirements(text: str, path: Path) -> list[str]:
    """A requirements file, as ``pip freeze`` or ``uv pip compile`` writes it."""
    found = []
    for number, line in enumerate(text.replace("\\\n", " ").splitlines(), 1):
        line = line.split(" #")[0].split(" --hash")[0].strip()
        if not line or line.startswith("#"):
            continue
        try:
            found.append(str(Requirement(line)))
        except InvalidRequirement as error:
            raise UserError(f"{path.name}, line {number}: {line[:60]!r} is not a requirement") from error
    return listed(found, path)
