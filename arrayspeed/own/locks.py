"""Lock files as requirements: requirements files, ``uv.lock``, ``pylock.toml`` (PEP 751) and ``poetry.lock``."""

from __future__ import annotations

import shutil
import tempfile
import tomllib
from pathlib import Path
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from arrayspeed.environments.failures import why
from arrayspeed.environments.uv import Uv
from arrayspeed.model.errors import UserError


def packages_of(uv: Uv, path: Path) -> list[str]:
    """Return what a lock file lists, as requirements with their markers.

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
        if data and data.get("metadata", {}).keys() & {"content-hash", "lock-version"}:
            return of_poetry(data, path)
        if data and "package" in data:
            return of_uv(uv, data, path)
    except (KeyError, TypeError, AttributeError) as error:
        raise UserError(f"{path.name} is TOML, but neither what PEP 751 says nor uv's or Poetry's") from error
    return of_requirements(text, path)


def as_toml(text: str, path: Path) -> dict[str, Any] | None:
    """Return the content of a file in TOML; None where it is something else, which a requirements file may be.

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


def of_pylock(data: dict[str, Any], path: Path) -> list[str]:
    """PEP 751."""
    found = []
    for row in data["packages"]:
        if "version" not in row:
            raise UserError(f"{path.name} has {row.get('name')} from a folder or an address, which cannot be made here")
        marker = f" ; {row['marker']}" if row.get("marker") else ""
        found.append(f"{row['name']}=={row['version']}{marker}")
    return listed(found, path)


def listed(names: list[str], path: Path) -> list[str]:
    """Return what a file lists.

    Raises
    ------
    UserError
        Nothing.
    """
    if not names:
        raise UserError(f"{path.name} lists no package")
    return names


def of_poetry(data: dict[str, Any], path: Path) -> list[str]:
    """Poetry's, with all groups and without extras. Poetry 2 says with each package where it is needed; before, that
    followed from the packages that need it.

    Raises
    ------
    UserError
        A package is from a folder, or is there twice and nothing says which version is meant.
    """
    rows = [row for row in data.get("package", []) if not row.get("optional")]
    found = []
    for row in rows:
        markers = markers_of(row, rows)
        twice = sum(canonicalize_name(each["name"]) == canonicalize_name(row["name"]) for each in rows) > 1
        if twice and "groups" not in row:
            raise UserError(
                f"{path.name} has {row['name']} in several versions and does not say when: lock it again with Poetry 2"
            )
        if row.get("source", {}).get("type") in ("directory", "file"):
            raise UserError(f"{path.name} has {row['name']} from a folder or a file, which cannot be made here")
        marker = " or ".join(f"({each})" for each in markers)
        found.append(pinned(row) + (f" ; {marker}" if marker else ""))
    if not found:
        raise UserError(f"{path.name} lists no package")
    return found


def markers_of(row: dict[str, Any], rows: list[dict[str, Any]]) -> list[str]:
    """Under which conditions a package is needed; empty where it always is.

    Before Poetry 2: by other packages. What the project itself asks for besides is not in the file, so a package that
    it shares with one that needs it elsewhere only is left out; ``--with`` adds it.
    """
    if "groups" in row:
        markers = row.get("markers") or {}
        every = [markers.get(group, "") for group in row["groups"]] if isinstance(markers, dict) else [markers]
        return [] if "" in every else list(dict.fromkeys(every))
    name = canonicalize_name(row["name"])
    edges = [
        edge
        for other in rows
        for needed, wanted in other.get("dependencies", {}).items()
        if canonicalize_name(needed) == name
        for edge in (wanted if isinstance(wanted, list) else [wanted])
    ]
    found = [edge.get("markers", "") if isinstance(edge, dict) else "" for edge in edges]
    return [] if "" in found else list(dict.fromkeys(found))


def pinned(row: dict[str, Any]) -> str:
    """Return a package of Poetry's at its version or address."""
    source = row.get("source", {})
    if source.get("type") == "git":
        return f"{row['name']} @ git+{source['url']}@{source['resolved_reference']}"
    return f"{row['name']} @ {source['url']}" if source.get("type") == "url" else f"{row['name']}=={row['version']}"


def of_uv(uv: Uv, data: dict[str, Any], path: Path) -> list[str]:
    """uv's own lock file, exported by uv: which packages are for which system is not easily read."""
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
    """Return a requirements file, as ``pip freeze`` or ``uv pip compile`` writes it."""
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
