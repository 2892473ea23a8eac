"""The machine's name follows its hardware."""

import os
import subprocess
import sys
from types import SimpleNamespace

import pytest
from asv.machine import Machine

from arrayspeed.cli.main import main
from arrayspeed.environments import machine
from arrayspeed.own import records
from tests.conftest import ROOT


@pytest.mark.parametrize(
    ("cpu", "fields", "cores", "gpu", "name"),
    [
        ("AMD EPYC", {"cpu family": "25", "model": "17"}, 2, "", "amd-epyc-f25m17-2cpu"),
        (
            "Intel(R) Xeon(R) CPU @ 2.20GHz",
            {"cpu family": "6", "model": "79"},
            8,
            "NVIDIA H200",
            "intel-xeon-f6m79-8cpu-nvidia-h200",
        ),
        ("Apple M4", {}, 10, "", "apple-m4-10cpu"),
        ("../../<script>", {}, 1, "", "script-1cpu"),
    ],
)
def test_name(cpu, fields, cores, gpu, name):
    assert machine.machine_name(cpu, fields, cores, gpu) == name


def test_different_hardware_has_different_names():
    fields = {"cpu family": "25", "model": "17"}
    names = {
        machine.machine_name("AMD EPYC", fields, 2, ""),
        machine.machine_name("AMD EPYC", fields, 4, ""),
        machine.machine_name("AMD EPYC", fields | {"model": "1"}, 2, ""),
        machine.machine_name("AMD EPYC", fields, 2, "Tesla T4"),
    }
    assert len(names) == 4


def test_asv_takes_it_without_asking_and_keeps_nothing_at_home(config, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    found = Machine.load(interactive=True)
    assert found.machine == machine.describe()["machine"] == Machine.get_unique_machine_name()
    assert found.num_cpu == str(machine.cores())
    assert Machine.load(machine_name="mine").machine == "mine"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "command",
    [
        ["upgrade", "jax", "0.9.2", "0.10.2"],
        ["upgrade", "jax", "0.9.2", "0.10.2", "--file", "mine.py"],
        ["compare", "one", "other", "--file", "mine.py"],
        ["bisect", "jax", "0.9.2", "0.10.2", "--file", "mine.py"],
        ["copies"],
    ],
    ids=lambda command: f"{command[0]} {len(command)}",
)
@pytest.mark.parametrize("number", [0, 100_000])
def test_cores_that_are_not_there(tmp_path, monkeypatch, capsys, command, number):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").touch()
    before = os.sched_getaffinity(0)
    with pytest.raises(SystemExit) as ended:
        main([*command, "--cores", str(number)])
    assert ended.value.code == 2
    assert f"--cores {number} is not valid: from 1 to {len(before)} here" in capsys.readouterr().err
    assert os.sched_getaffinity(0) == before


CORES = """
import os, subprocess, sys
from arrayspeed.cli.options.cores import use_cores
from arrayspeed.environments.machine import describe

use_cores(1)
started = subprocess.run([sys.executable, "-c", "import os; print(len(os.sched_getaffinity(0)))"], capture_output=True)
print(int(started.stdout), describe()["num_cpu"])
"""


def test_what_is_started_keeps_to_the_cores():
    done = subprocess.run([sys.executable, "-c", CORES], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1", "1"]


def test_what_was_measured_on_other_cores_does_not_count(monkeypatch):
    script = SimpleNamespace(digest="a", kind="file")

    def on(number):
        monkeypatch.setattr(records, "cores", lambda: number)
        return records.run_of(script, [SimpleNamespace(label="old", identity="b")], {})

    assert on(1) == on(1) != on(2)
