"""What ``arrayspeed doctor`` says of a machine, from a short look at this one and from made-up ones."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from arrayspeed.audit import doctor
from arrayspeed.audit.doctor import Examination, Program
from arrayspeed.cli import doctor as command
from arrayspeed.cli.main import main
from arrayspeed.decide.power import SLOWDOWNS, smallest_slowdown
from arrayspeed.system import instruments
from arrayspeed.system.instruments import Instrument
from arrayspeed.system.state import State
from support import schema
from tests.conftest import ROOT
from tests.system.test_quota import a_group

GOOD = Program("loop", "a loop", 1e-5, 12, 1.5, 0.01, "same", 1.07)
CLOCK = Instrument("clock", True, "fine")


def examination(*programs, clock=CLOCK, state=State(2)):  # noqa: B008
    machine = {"machine": "m-2cpu", "cpu": "M"}
    return Examination(machine, state, doctor.advice(state), [clock], [], list(programs), 41.0)


@pytest.mark.parametrize(
    ("found", "status", "words"),
    [
        (examination(GOOD, replace(GOOD, shown=1.2)), 0, "GOOD: a minute shows a slowdown by ×1.2, or less"),
        (examination(GOOD, replace(GOOD, verdict="slower")), 1, "NOT TO BE TRUSTED: a loop differs from a copy"),
        (examination(GOOD, clock=replace(CLOCK, works=False)), 1, "NOT TO BE TRUSTED: the clock is too coarse"),
        (
            examination(GOOD, replace(GOOD, shown=1.4)),
            2,
            "TOO NOISY: a minute does not show a slowdown by ×1.25 of a loop",
        ),
        (examination(replace(GOOD, shown=None)), 2, "TOO NOISY"),
        (examination(replace(GOOD, shown=None, rounds=3)), 2, "UNKNOWN: too few rounds"),
    ],
)
def test_the_exit_status_and_what_is_said_of_it(found, status, words):
    assert found.status == status
    assert command.conclusion(found).startswith(words)
    schema.read("doctor", json.dumps({"format": 1, **found.data()}))


def test_a_table(capsys):
    state = State(4, physical=2, quota=1.5, governor="ondemand", driver="acpi-cpufreq", boost=True, busy=0.9, nodes=2)
    command.show(examination(GOOD, replace(GOOD, shown=None), state=state))
    text = capsys.readouterr().out
    for words in (
        "m-2cpu: M, 4 processors, 2 cores, a quota of 1.5 cores",
        "speed: governor ondemand, driver acpi-cpufreq, boost on",
        "busy at the start: 0.9 cores by other processes",
        "a quota leaves 1.5 of the 4 cores",
        "could be better: the governor is ondemand",
        "could be better: 4 processors are threads of 2 cores",
        "could be better: memory is on 2 NUMA nodes",
        "×1.07 and more",
        "none up to ×3",
    ):
        assert words in " ".join(text.split())


def test_markdown(capsys):
    command.show(examination(replace(GOOD, what="a | b")), "markdown")
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("- m-2cpu: M")
    assert "| a \\| b | 10.0 µs | 12 | 1.0 % | same | ×1.07 and more |" in lines
    assert lines[-1].startswith("GOOD")


def test_nothing_is_advised_where_nothing_is_known():
    assert doctor.advice(State(2)) == doctor.advice(State(2, 2, governor="performance", boost=False)) == []


@pytest.mark.seconds
def test_noise_hides_slowdowns():
    rng = np.random.default_rng(3)
    found = [smallest_slowdown(list(rng.normal(0, noise, 12)), 16) for noise in (0.002, 0.02, 0.2)]
    assert found[0] < found[1] < found[2]
    assert found[0] < 1.08 and found[2] > 1.15
    assert smallest_slowdown(list(rng.normal(0, 3, 12)), 16) is None
    assert set(found) <= set(SLOWDOWNS)


def test_more_rounds_show_more():
    noise = list(np.random.default_rng(3).normal(0, 0.1, 12))
    assert smallest_slowdown(noise, 24) < smallest_slowdown(noise, 6)


@pytest.mark.parametrize(("rounds", "time"), [(3, 16), (12, 2)])
def test_too_little_shows_nothing(rounds, time):
    assert smallest_slowdown([0.01, -0.01, 0.02, -0.02] * 3 if rounds == 12 else [0.0] * rounds, time) is None


def test_instruments():
    clock, counters, profiler = instruments.check()
    assert clock.works and "ns" in clock.detail
    assert profiler.works
    assert counters.detail


def test_counters_are_read_as_perf_does(monkeypatch):
    """Whether they work depends on the machine; why they do not is said."""

    def syscall(number, attributes, pid, cpu, group, flags):
        read, write = os.pipe()
        os.write(write, (12345).to_bytes(8, "little"))
        os.close(write)
        return read

    monkeypatch.setattr(instruments.platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(instruments.platform, "system", lambda: "Linux")
    monkeypatch.setattr(instruments.ctypes, "CDLL", lambda *_, **__: SimpleNamespace(syscall=syscall))
    assert instruments.counters() == Instrument("counters", True, "instructions are counted")
    monkeypatch.setattr(instruments.ctypes, "CDLL", lambda *_, **__: SimpleNamespace(syscall=lambda *_: -1))
    monkeypatch.setattr(instruments.ctypes, "get_errno", lambda: 13)
    assert instruments.counters().works is False
    assert "perf_event_paranoid" in instruments.counters().detail
    monkeypatch.setattr(instruments.platform, "machine", lambda: "vax")
    assert instruments.counters().works is None


@pytest.mark.seconds
def test_this_machine(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["doctor", "--seconds", "1", "--format", "json"])
    data = schema.read("doctor", capsys.readouterr().out)
    assert ended.value.code == data["exit_status"]
    assert [one["name"] for one in data["programs"]] == list(doctor.PROGRAMS)
    assert all(one["seconds"] > 0 and one["rounds"] == 2 and one["shown"] is None for one in data["programs"])
    assert {one["owner"] for one in data["libraries"]} >= {"numpy"}


@pytest.mark.seconds
def test_a_container_of_one_and_a_half_cores():
    """Cores, the threads of each library, and the warning."""
    group = a_group()
    if group is None:
        pytest.skip("no control group can be made here")
    try:
        program = f"open({str(group / 'cgroup.procs')!r}, 'w').write('0')\n" + (
            "from arrayspeed.cli.main import main; main(['doctor', '--seconds', '1', '--format', 'json'])"
        )
        done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=120)
        data = schema.read("doctor", done.stdout)
        if data["state"]["processors"] < 2:
            pytest.skip("one core is less than the quota")
        assert data["state"]["quota"] == 1.5
        assert "quota1.5" in data["machine"]["machine"] and data["machine"]["cpu_quota"] == "1.5"
        (warning,) = [text for text in data["warnings"] if "quota" in text]
        assert warning.startswith(f"a quota leaves 1.5 of the {data['state']['processors']} cores")
        assert all(one["threads"] == data["state"]["processors"] for one in data["libraries"] if one["api"] == "blas")
    finally:
        group.rmdir()


@pytest.mark.parametrize("seconds", ["0", "-1", "x", "inf"])
def test_mistakes(capsys, seconds):
    with pytest.raises(SystemExit) as ended:
        main(["doctor", "--seconds", seconds])
    assert ended.value.code == 2
    assert "--seconds" in capsys.readouterr().err
