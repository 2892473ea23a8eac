"""The wheel: what is in it, what it needs, and that it measures in an empty folder without git."""

import email
import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from arrayspeed.environments import suite
from arrayspeed.environments.project import MEASURED
from arrayspeed.model.libraries import bare
from kernels import LIBRARIES
from support import schema
from tests.conftest import ROOT, command

#: It makes an environment.
pytestmark = pytest.mark.environment

UV = str(Path(sys.executable).with_name("uv"))
RUN = ["run", "--measure", "time_call", "--kernel", "add", "--size", "10", "--dtype", "float64", "--rounds", "1"]


def tracked(*folders):
    listed = command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *folders, cwd=ROOT).stdout
    return {name for name in listed.split("\0") if name and (ROOT / name).exists()}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel, made as `make wheel` makes it."""
    folder = tmp_path_factory.mktemp("dist")
    before = command("git", "status", "--porcelain", cwd=ROOT).stdout
    command(UV, "build", "--quiet", "--wheel", "--out-dir", str(folder), ".", cwd=ROOT)
    assert command("git", "status", "--porcelain", cwd=ROOT).stdout == before
    (file,) = folder.glob("*.whl")
    return file


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """A new virtualenv with the wheel in it and nothing else that was asked for."""
    folder = tmp_path_factory.mktemp("tool") / "venv"
    command(UV, "venv", "--quiet", "--python", sys.executable, str(folder), cwd=wheel.parent)
    python = folder / "bin" / "python"
    command(UV, "pip", "install", "--quiet", "--python", str(python), str(wheel), cwd=wheel.parent)
    return folder / "bin"


@pytest.fixture
def arrayspeed(installed, tmp_path):
    """What runs the installed command in an empty folder, where neither git nor anything else is on the path."""
    folder = tmp_path / "empty"
    folder.mkdir()
    environment = {name: value for name, value in os.environ.items() if name not in ("PATH", "PYTHONPATH")}

    def run(*arguments, status=0, cwd=folder):
        done = subprocess.run(
            [installed / "arrayspeed", *arguments],
            cwd=cwd,
            env=environment | {"PATH": str(folder / "nothing")},
            capture_output=True,
            text=True,
            timeout=600,
        )
        assert done.returncode == status, f"{arguments}: {done.returncode}\n{done.stdout}\n{done.stderr[-3000:]}"
        return done

    run.folder = folder
    return run


def test_it_holds_one_package_with_the_suite_in_it(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    packages = {name for name in names if ".dist-info/" not in name}
    assert {name.partition("/")[0] for name in packages} == {"arrayspeed"}
    of_the_suite = {f"arrayspeed/suite/{name}" for name in tracked("kernels", "benchmarks", "asv.conf.json")}
    assert packages == tracked("arrayspeed") | of_the_suite | {"arrayspeed/suite/arrayspeed/__init__.py"}


def test_it_asks_for_no_array_library(wheel):
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        required = email.message_from_bytes(archive.read(name)).get_all("Requires-Dist")
    names = {bare(Requirement(each).name) for each in required}
    assert "asv" in names
    assert names.isdisjoint(LIBRARIES)


def test_it_is_imported_and_finds_its_kernels_and_not_those_of_the_folder(installed, tmp_path):
    for name in MEASURED:
        (tmp_path / f"{name}.py").write_text("raise RuntimeError('not this one')")
    program = "import arrayspeed, kernels, benchmarks; print(kernels.__file__, benchmarks.__file__)"
    done = command(str(installed / "python"), "-c", program, cwd=tmp_path)
    assert done.stdout.count("arrayspeed/suite/") == 2
    alone = subprocess.run([installed / "python", "-Ic", "import kernels"], capture_output=True, text=True)
    assert "ModuleNotFoundError" in alone.stderr


def test_help_and_decide(arrayspeed):
    assert "upgrade" in arrayspeed("--help").stdout
    samples = arrayspeed.folder / "samples.jsonl"
    rows = [
        {"comparison": "f", "side": side, "round": number, "value": value * (1 + number / 1000)}
        for side, value in (("reference", 1.0), ("subject", 2.0))
        for number in range(16)
    ]
    samples.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    assert "slower" in arrayspeed("decide", "samples.jsonl", status=1).stdout


def test_it_measures_in_an_empty_folder_and_goes_on_where_it_stopped(arrayspeed, newest):
    only = [*RUN, "--backend", "numpy", "--environment", f"existing:{newest.find_executable('python')}"]
    assert "1 measured" in arrayspeed(*only).stdout
    assert [path.name for path in arrayspeed.folder.iterdir()] == [".arrayspeed"]
    again = arrayspeed(*only).stdout
    assert "1 of 1 are finished" in again
    assert "0 measured" in again
    (results,) = arrayspeed.folder.glob(".arrayspeed/results/*/*existing*.json")
    listing = suite.listing(ROOT, MEASURED)
    assert json.loads(results.read_text())["commit_hash"] == suite.name_of(listing)
    assert "add" in arrayspeed("summary", "--all-sizes").stdout


def test_it_compares_versions_in_an_empty_folder(arrayspeed, newest):
    only = [
        "--bench",
        "elementwise.add_float64.time_call",
        "--size",
        "10",
        "--rounds",
        "4",
        "--factor",
        "90",
        "--format",
        "json",
    ]
    version = newest.requirements["numpy"]
    done = arrayspeed("upgrade", "numpy", version, version, *only)
    (row,) = schema.read("upgrade", done.stdout)["comparisons"]
    assert row["verdict"] == "same"  # whatever the machine does, it is not by a factor of 90
    (made,) = (arrayspeed.folder / ".arrayspeed" / "env").iterdir()  # one for both, since the versions are the same
    assert (made / "bin" / "python").exists()
    assert [path.name for path in arrayspeed.folder.iterdir()] == [".arrayspeed"]


def test_in_a_clone_it_sends_to_the_clones_own(arrayspeed):
    done = arrayspeed("summary", cwd=ROOT / "docs", status=2)
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"arrayspeed: {ROOT} is a clone")


def test_a_wheel_describes_its_kernels_as_git_does(tmp_path):
    for name in MEASURED:
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    command("git", "init", "--quiet", cwd=tmp_path)
    command("git", "add", "--all", cwd=tmp_path)
    who = ("-c", "user.name=test", "-c", "user.email=test@example.invalid")
    command("git", *who, "commit", "--quiet", "--message", "kernels", cwd=tmp_path)
    assert suite.listing(tmp_path, MEASURED) == command("git", "ls-tree", "-r", "HEAD", cwd=tmp_path).stdout.strip()
