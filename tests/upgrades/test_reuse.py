"""`upgrade --reuse`: results of today's code count, whichever commit they are stored with, and no others do."""

import json
import shutil

import pytest

from arrayspeed.model.combination import Combination, parse_name
from arrayspeed.records import processes
from arrayspeed.records.fingerprints import fingerprint
from support import schema
from support.generated import row, write_results
from tests.conftest import ROOT, command_here

MACHINE = "generated-2cpu"
OLD, NEW = "2.4.6", "2.5.5"
OTHER_COMMIT = "f" * 40
UPGRADE = ["upgrade", "numpy", OLD, NEW, "--reuse", "--machine", MACHINE, "--format", "json"]


@pytest.fixture
def project(tmp_path):
    """A folder with our configuration and without git, so that no commit can be looked up there."""
    shutil.copy(ROOT / "asv.conf.json", tmp_path)
    (tmp_path / "results").mkdir()
    return tmp_path


def store(folder, version, seconds, *, python="3.12", rows=None, commit=OTHER_COMMIT, edit=lambda entry: entry):
    """Eight processes of a version that met those of others in a block, with the fingerprints of today's code."""
    rows = rows or [row("add", "numpy", 1000, seconds)]
    name = f"venv-py{python}-numpy{version}"
    path = write_results(
        folder / "results", rows, requirements={"numpy": version}, environment=name, commit=commit, processes=8
    )
    packages = {"numpy": version}
    path.with_suffix(".packages.txt").write_text(f"numpy=={version}\n")
    lines = path.with_suffix(processes.SUFFIX)
    stored = []
    for number, text in enumerate(lines.read_text().splitlines()):
        entry = json.loads(text)
        one = Combination(
            name,
            entry["benchmark"],
            0,
            **parse_name(entry["benchmark"]),
            backend=entry["backend"],
            size=entry["size"],
            device=entry["device"],
        )
        entry |= {"fingerprint": fingerprint(one, packages), "block": f"block {one.kernel}", "round": number % 8}
        stored.append(json.dumps(edit(entry)))
    lines.write_text("\n".join(stored) + "\n")


def compared(folder, *more, status):
    done = command_here(*UPGRADE, *more, cwd=folder, status=status)
    return schema.read("upgrade", done.stdout), done.stderr


def test_results_of_other_commits_count_where_their_fingerprints_are_todays(project):
    store(project, OLD, 1e-6)
    store(project, NEW, 1.5e-6, commit="e" * 40)
    data, said = compared(project, status=1)
    (comparison,) = data["comparisons"]
    assert (comparison["kernel"], comparison["verdict"]) == ("add", "slower")
    assert comparison["ratio"] == pytest.approx(1.5, rel=1e-3)
    assert [side["packages"] for side in data["sides"]] == [{"numpy": OLD}, {"numpy": NEW}]
    assert "left out" not in said


def stale(entry):
    """Another kernel."""
    kernel, rest = entry["fingerprint"].split("-", 1)
    return entry | {"fingerprint": f"{kernel[::-1]}-{rest}"}


def test_results_of_other_code_do_not(project):
    store(project, OLD, 1e-6)
    store(project, NEW, 1.5e-6, edit=stale)
    (line,) = command_here(*UPGRADE, cwd=project, status=2).stderr.splitlines()
    assert "was measured by other code" in line and "without --reuse" in line


def test_what_was_left_out_is_counted(project):
    rows = [row("add", "numpy", 1000, 1e-6), row("sum", "numpy", 1000, 1e-6)]
    store(project, OLD, 0, rows=rows)
    store(project, NEW, 0, rows=rows, edit=lambda entry: stale(entry) if "sum" in entry["benchmark"] else entry)
    data, said = compared(project, status=0)
    assert [one["kernel"] for one in data["comparisons"]] == ["add"]
    assert "left out: 1 comparison measured by other code" in said


def test_results_with_other_packages_of_the_same_environment_do_not(project):
    store(project, OLD, 1e-6, edit=lambda entry: entry | {"fingerprint": entry["fingerprint"][:-8] + "0" * 8})
    store(project, NEW, 1e-6)
    assert "other code" in command_here(*UPGRADE, cwd=project, status=2).stderr


def test_they_may_be_of_another_python_than_that_of_new_measurements(project):
    store(project, OLD, 1e-6, python="3.11")
    store(project, NEW, 1e-6, python="3.11")
    data, _ = compared(project, status=0)
    assert [side["python"] for side in data["sides"]] == ["3.11", "3.11"]
    assert "without --reuse" in command_here(*UPGRADE, "--python", "3.12", cwd=project, status=2).stderr


def test_both_sides_are_of_one_python(project):
    store(project, OLD, 1e-6, python="3.11")
    store(project, NEW, 1e-6, python="3.12")
    (line,) = command_here(*UPGRADE, cwd=project, status=2).stderr.splitlines()
    assert "no such results of both versions in the same Python" in line


def test_an_unknown_machine_gets_the_names_of_those_that_are_known(project):
    store(project, OLD, 1e-6)
    (line,) = command_here(*UPGRADE, "--machine", "nowhere", cwd=project, status=2).stderr.splitlines()
    assert line.endswith(f"--machine {MACHINE}")
