"""What is read of a machine's state, from made-up files, and what is said of it."""

import json
import os
import sys

import pytest

from arrayspeed.measure import host
from arrayspeed.records import states
from arrayspeed.system import processes, state
from arrayspeed.system.state import State


def files(root, contents):
    for path, text in contents.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(f"{text}\n")
    return root


@pytest.fixture
def two(monkeypatch):
    monkeypatch.setattr(state, "affinity", lambda: {0, 1})


CPU = "sys/devices/system/cpu"


def test_everything_that_a_system_tells(tmp_path, two):
    root = files(
        tmp_path,
        {
            f"{CPU}/cpu0/cpufreq/scaling_governor": "powersave",
            f"{CPU}/cpu1/cpufreq/scaling_governor": "performance",
            f"{CPU}/cpu0/cpufreq/scaling_driver": "acpi-cpufreq",
            f"{CPU}/cpufreq/boost": "1",
            f"{CPU}/cpu0/thermal_throttle/core_throttle_count": "3",
            f"{CPU}/cpu1/thermal_throttle/core_throttle_count": "5",
            f"{CPU}/cpu0/thermal_throttle/package_throttle_count": "7",
            f"{CPU}/cpu0/topology/thread_siblings_list": "0-1",
            f"{CPU}/cpu1/topology/thread_siblings_list": "0-1",
            "sys/devices/system/node/node0/cpulist": "0-1",
            "sys/class/thermal/thermal_zone0/temp": "41500",
            "sys/class/thermal/thermal_zone1/temp": "nonsense",
            "proc/cpuinfo": "processor\t: 0\nflags\t\t: fpu hypervisor sse",
            ".dockerenv": "",
        },
    )
    found = state.now(root, 0.0)
    assert (found.processors, found.physical, found.nodes) == (2, 1, 1)
    assert (found.governor, found.driver, found.boost) == ("performance, powersave", "acpi-cpufreq", True)
    assert (found.throttles, found.hot, found.container, found.virtual) == (12, 41.5, True, True)
    assert "governor powersave" in " ".join(found.warnings())


def test_nothing_is_said_where_nothing_is_told(tmp_path, two):
    found = state.now(tmp_path, 0.0)
    assert found.data().keys() <= {"processors", "busy", "stolen", "load", "missing"}
    assert State(2).warnings() == []


def test_intels_own_driver(tmp_path, two):
    root = files(tmp_path, {f"{CPU}/intel_pstate/no_turbo": "1", f"{CPU}/cpufreq/boost": "1"})
    assert state.now(root, 0.0).boost is False
    assert State(2, governor="powersave", driver="intel_pstate").warnings() == []
    assert len(State(2, governor="powersave", driver="acpi-cpufreq").warnings()) == 1


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"quota": 1.5}, "--cores 1 keeps to whole ones"),
        ({"quota": 0.5}, "raise the quota"),
        ({"busy": 0.8}, "other processes keep 0.8 cores busy"),
        ({"stolen": 0.3}, "the host of this virtual machine takes 0.3 cores"),
    ],
)
def test_warnings(given, words):
    (warning,) = State(2, **given).warnings()
    assert words in warning


def test_a_quota_above_what_is_there_is_none(two):
    assert State(2, quota=4.0).warnings() == [] and not State(2, quota=2.0).limited


def test_the_load_of_others_is_counted():
    if processes.busy_seconds() is None:
        pytest.skip("the system does not count it")
    busy, stolen = processes.load_of_others(0.05)
    assert busy >= 0 and stolen >= 0


def test_the_state_is_kept_once_for_each_measurement(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(host, "_said", set())
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr(state, "now", lambda: State(2, busy=0.9, throttles=1))
    monkeypatch.setattr(state, "throttles", lambda: 4)
    host.keep_state(tmp_path / "no measurement")
    assert not (tmp_path / "no measurement").exists()
    for _ in range(2):
        with host.only_run(tmp_path / "results"):
            host.keep_state(tmp_path / "machine")
            host.keep_state(tmp_path / "machine")
    rows = [json.loads(line) for line in (tmp_path / "machine" / states.FILE).read_text().splitlines()]
    assert [row.get("busy") for row in rows] == [0.9, None, 0.9, None]
    assert [row.get("throttled") for row in rows] == [None, 3, None, 3]
    assert all(row["process"] == os.getpid() and row["date"] for row in rows)
    said = capsys.readouterr().err
    assert said.count("other processes keep 0.9 cores busy") == 1, "said once"
    assert said.count("heat has slowed processors down 3 times") == 2
