"""The packages that developers and CI have are those that the project allows."""

import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]


def locked():
    """Name -> versions, of which markers choose one."""
    found = {}
    for line in (ROOT / "requirements.lock").read_text().splitlines():
        requirement = Requirement(line)
        (exact,) = requirement.specifier
        assert exact.operator == "==", line
        found.setdefault(canonicalize_name(requirement.name), []).append(exact.version)
    return found


def test_the_lock_has_all_that_the_project_asks_for():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    versions = locked()
    for text in [
        *project["project"]["dependencies"],
        *(one for group in project["dependency-groups"].values() for one in group),
    ]:
        requirement = Requirement(text)
        assert all(requirement.specifier.contains(each) for each in versions[canonicalize_name(requirement.name)]), text


def test_make_installs_by_it():
    assert re.search(r"^\t.* pip install .*--constraints requirements.lock", (ROOT / "Makefile").read_text(), re.M)
