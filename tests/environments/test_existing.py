"""An interpreter that is there already, as the environment to measure in."""

import shutil
import subprocess
import sys

import pytest

from arrayspeed.environments import existing
from arrayspeed.environments.plugin import isolated
from arrayspeed.model.errors import UserError
from arrayspeed.records import results
from tests.conftest import ARRAYSPEED, command

RUN = ["run", "--measure", "time_call", "--kernel", "add", "--size", "10", "--dtype", "float64", "--rounds", "1"]


def test_results_name_the_versions_that_were_found(empty, newest):
    python = newest.find_executable("python")
    only = ["--backend", "numpy", "--backend", "jax-jit", "--device", "cpu,gpu"]
    command(*ARRAYSPEED, *RUN, *only, "--environment", f"existing:{python}", cwd=empty)
    table = results.load(empty / "results")
    assert sorted(table["backend"]) == ["jax-jit", "numpy"]
    asked = {name: newest.requirements[name] for name in ("jax", "numpy")}
    assert {row["library"]: row["version"] for row in table.iter_rows(named=True)} == asked
    (packages,) = (empty / "results").rglob("*.packages.txt")
    assert f"jaxlib=={asked['jax']}" in packages.read_text()
    again = command(*ARRAYSPEED, *RUN, *only, "--environment", f"existing:{python}", cwd=empty)
    assert "2 of 2 are finished" in again.stdout


@pytest.mark.rest
def test_what_is_added_to_its_path_is_measured(empty, newest, monkeypatch):
    """An interpreter without packages, and a folder of packages beside it: a machine without a network."""
    newer = newest.find_executable("python")
    where = [newer, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    folder = subprocess.run(where, capture_output=True, text=True, check=True).stdout.strip()
    subprocess.run([newer, "-m", "venv", "--without-pip", empty / "bare"], check=True)
    monkeypatch.setenv("PYTHONPATH", folder)
    python = empty / "bare" / "bin" / "python"
    command(*ARRAYSPEED, *RUN, "--backend", "numpy", "--environment", f"existing:{python}", cwd=empty)
    assert results.load(empty / "results")["version"].to_list() == [newest.requirements["numpy"]]


@pytest.mark.rest
def test_what_is_carried_only_to_measure_is_no_package_of_the_interpreter(empty, newest, monkeypatch):
    """As `tools/gpu` unpacks it. A value whose record has it, as older ones do, is finished all the same."""
    python = newest.find_executable("python")
    carried, other = empty / ".gpu", empty / "other"

    def measure(*path, version):
        for folder in (carried, other):
            shutil.rmtree(folder, ignore_errors=True)
            (folder / "carried.dist-info").mkdir(parents=True)
            (folder / "carried.dist-info" / "METADATA").write_text(f"Name: carried\nVersion: {version}\n")
        monkeypatch.setenv("PYTHONPATH", ":".join(map(str, path)))
        return command(*ARRAYSPEED, *RUN, "--backend", "numpy", "--environment", f"existing:{python}", cwd=empty).stdout

    assert "1 measured" in measure(other, version="1.0")
    (packages,) = (empty / "results").rglob("*.packages.txt")
    assert "carried==1.0" in packages.read_text()
    with (empty / "kernels" / "catalogue.py").open("a") as file:
        file.write("# Results of another commit have a record of their own.\n")
    command("git", "commit", "--quiet", "--all", "--message", "next", cwd=empty)
    for version in ("1.0", "1.1"):
        done = measure(carried, version=version)
        assert "1 of 1 are finished" in done and "0 measured" in done
    assert "1 measured" in measure(other, version="1.1")


def test_processes_that_measure_get_the_path_meant_for_them(monkeypatch):
    monkeypatch.delenv("ASV_PYTHONPATH", raising=False)
    monkeypatch.setenv("PYTHONPATH", "/of/the/tool")
    assert "PYTHONPATH" not in isolated()
    monkeypatch.setenv("ASV_PYTHONPATH", "/of/the/interpreter")
    assert isolated()["PYTHONPATH"] == "/of/the/interpreter"


@pytest.mark.parametrize(
    ("packages", "expected"),
    [
        ({"jax": "0.11.2", "numpy": "2.5.2"}, {"numpy": "2.5.2", "jax": "0.11.2"}),
        ({"tensorflow-cpu": "2.21.0"}, {"tensorflow": "2.21.0"}),
        ({"torch": "2.11.0+cu130", "torch-geometric": "2.8"}, {"torch": "2.11.0+cu130"}),
        ({"jaxtyping": "0.3"}, {}),
    ],
)
def test_libraries_go_by_several_names(packages, expected):
    assert existing.versions(packages) == expected


def test_mistakes_are_one_line(config):
    with pytest.raises(UserError, match="cannot be run as Python"):
        existing.take(config, ["existing:/bin/false"])
    with pytest.raises(UserError, match="cannot be combined with another environment"):
        existing.take(config, ["existing", "jax"])
    assert existing.take(config, ["jax"]) == (config, ["jax"])


def test_a_device_that_is_not_there_is_said_so(empty):
    done = subprocess.run(
        [*ARRAYSPEED, *RUN, "--environment", f"existing:{sys.executable}", "--device", "tpu"],
        cwd=empty,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert done.stderr.strip().splitlines()[-1] == "arrayspeed: this machine has no TPU"


def test_an_interpreter_that_cannot_measure_says_what_it_lacks(empty, tmp_path):
    command(sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "bare"), cwd=tmp_path)
    python = tmp_path / "bare/bin/python"
    done = command(*ARRAYSPEED, *RUN, "--environment", f"existing:{python}", cwd=empty, status=2)
    (line,) = done.stderr.strip().splitlines()
    assert f"{python} -m pip install asv_runner==0.3.2" in line
