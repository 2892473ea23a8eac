"""The machine's name follows its hardware."""

import pytest
from asv.machine import Machine

from arrayspeed.environments import machine


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
