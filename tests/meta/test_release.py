"""A release: what a maintainer's command does and refuses, in a clone of its own."""

import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from arrayspeed import __version__
from tests.conftest import ROOT, command, tool_of

TOOL = [sys.executable, "tools/release"]
TOWNCRIER = str(Path(sys.executable).with_name("towncrier"))
FRAGMENTS = sorted(path.name for path in (ROOT / "changes").glob("*.md") if path.name != "README.md")
WHO = ("-c", "user.name=test", "-c", "user.email=test@example.invalid")


def git(folder, *arguments):
    return command("git", *WHO, *arguments, cwd=folder).stdout.strip()


@pytest.fixture
def clone(tmp_path):
    """What a release needs of this tree, committed on main."""
    for name in ("tools/release", "pyproject.toml", "CHANGELOG.md", "CITATION.cff", "arrayspeed/__init__.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    changes = tmp_path / "changes"
    changes.mkdir()
    shutil.copy(ROOT / "changes/README.md", changes)
    (changes / "+one.fixed.md").write_text("A thing works.\n")
    (changes / "12.added.md").write_text("A thing is there.\n")
    git(tmp_path, "init", "--quiet", "--initial-branch", "main")
    for name, value in (("user.name", "test"), ("user.email", "test@example.invalid")):
        git(tmp_path, "config", name, value)
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "--quiet", "--message", "before")
    return tmp_path


def release(folder, *arguments, status=0):
    return command(*TOOL, *arguments, cwd=folder, status=status)


def test_one_command_makes_version_changelog_commit_and_tag(clone):
    said = release(clone, "2.3.4").stdout
    assert "git push --atomic origin main v2.3.4" in said
    assert git(clone, "status", "--porcelain") == ""
    assert git(clone, "tag", "--list") == "v2.3.4"
    assert git(clone, "rev-parse", "v2.3.4^{commit}") == git(clone, "rev-parse", "HEAD")
    assert '__version__ = "2.3.4"' in (clone / "arrayspeed/__init__.py").read_text()
    assert "\nversion: 2.3.4\n" in (clone / "CITATION.cff").read_text()
    changelog = (clone / "CHANGELOG.md").read_text()
    assert re.search(r"## 2\.3\.4 \(\d{4}-\d\d-\d\d\)\n+### Added\n+- A thing is there\.", changelog)
    assert [path.name for path in (clone / "changes").iterdir()] == ["README.md"]
    assert release(clone, "notes", "v2.3.4").stdout.splitlines()[0] == "### Added"
    assert release(clone, "check", "v2.3.4").stdout == ""


def test_the_next_one_comes_above_it_and_must_be_newer(clone):
    release(clone, "2.3.4")
    (clone / "changes/13.changed.md").write_text("Another thing.\n")
    git(clone, "add", "--all")
    git(clone, "commit", "--quiet", "--message", "more")
    for older in ("2.3.4", "2.3.3", "1.9.9"):
        assert "not newer than 2.3.4" in release(clone, older, status=2).stderr
    release(clone, "2.10.0")
    text = (clone / "CHANGELOG.md").read_text()
    assert text.index("## 2.10.0") < text.index("## 2.3.4")
    assert "Another thing" in release(clone, "notes", "v2.10.0").stdout
    assert "A thing" not in release(clone, "notes", "v2.10.0").stdout


def change(folder):
    (folder / "new").touch()


def branch(folder):
    git(folder, "checkout", "--quiet", "-b", "other")


def empty(folder):
    git(folder, "rm", "--quiet", "changes/+one.fixed.md", "changes/12.added.md")
    git(folder, "commit", "--quiet", "--message", "none")


def unknown(folder):
    (folder / "changes/14.better.md").write_text("x\n")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "unknown")


@pytest.mark.parametrize(
    ("arguments", "before", "says"),
    [
        ([], None, "give a version"),
        (["1.0"], None, "not a version such as"),
        (["1.0.0rc1"], None, "not a version such as"),
        (["9.0.0"], change, "not clean"),
        (["9.0.0"], branch, "made on main"),
        (["9.0.0"], empty, "changes/ is empty"),
        (["9.0.0"], unknown, "14.better.md"),
        (["check", "v9.0.0"], None, "says"),
        (["notes", f"v{__version__}"], None, "has no entry"),
    ],
)
def test_it_refuses_in_one_line_and_changes_nothing(clone, arguments, before, says):
    if before:
        before(clone)
    head, status = git(clone, "rev-parse", "HEAD"), git(clone, "status", "--porcelain")
    (line,) = release(clone, *arguments, status=2).stderr.splitlines()
    assert line.startswith("release: ") and says in line
    assert (git(clone, "rev-parse", "HEAD"), git(clone, "status", "--porcelain")) == (head, status)
    assert git(clone, "tag", "--list") == ""


def test_the_changes_that_wait_are_of_known_kinds_and_can_be_rendered():
    kinds = tool_of("release")["KINDS"]
    assert all(re.fullmatch(rf".+\.({kinds})(\.\d+)?\.md", name) for name in FRAGMENTS)
    done = command(TOWNCRIER, "build", "--draft", "--version", "99.0.0", cwd=ROOT)
    if FRAGMENTS:
        assert done.stdout.count("\n- ") == len(FRAGMENTS)


def test_the_version_stands_in_one_place():
    assert 'dynamic = ["version"]' in (ROOT / "pyproject.toml").read_text()
    assert re.search(r"^version: (.*)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)[1] == __version__


def test_the_citation_is_valid():
    checker = Path(sys.executable).with_name("check-jsonschema")
    schema = "vendor.citation-file-format"
    done = subprocess.run([checker, "--builtin-schema", schema, ROOT / "CITATION.cff"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


@pytest.mark.seconds
def test_a_wheel_of_the_source_is_that_of_the_tree(tmp_path):
    uv = str(Path(sys.executable).with_name("uv"))
    for folder, option in (("tree", "--wheel"), ("source", "--sdist")):
        command(uv, "build", "--quiet", option, "--out-dir", str(tmp_path / folder), ".", cwd=ROOT)
    (archive,) = (tmp_path / "source").glob("*.tar.gz")
    assert archive.name == f"arrayspeed-{__version__}.tar.gz"
    with tarfile.open(archive) as source:
        names = {name.partition("/")[2] for name in source.getnames()}
        source.extractall(tmp_path / "unpacked", filter="data")
    assert not {name for name in names if name.startswith(("results/", "tests/", "docs/", ".github"))}
    (unpacked,) = (tmp_path / "unpacked").iterdir()
    command(uv, "build", "--quiet", "--wheel", "--out-dir", str(tmp_path / "again"), ".", cwd=unpacked)
    (first,), (second,) = ((tmp_path / folder).glob("*.whl") for folder in ("tree", "again"))
    contents = []
    for path in (first, second):
        with zipfile.ZipFile(path) as wheel:
            contents.append({each.filename: each.CRC for each in wheel.infolist() if "dist-info" not in each.filename})
    assert contents[0] == contents[1]
