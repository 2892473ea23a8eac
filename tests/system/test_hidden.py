"""The tool where parts of the system are missing, in its own processes and in those that it measures."""

import json
import os
import subprocess
import sys

import pytest

from arrayspeed.system import missing, processes
from support import schema
from tests.conftest import ARRAYSPEED, ROOT

HIDDEN = ROOT / "tests/system/hidden"
PARTS = ("proc", "affinity", "prctl", "stop")

#: What is said of each part, in a few words of it.
SAID = {
    "proc": "there is no /proc",
    "affinity": "it cannot be chosen on which cores processes run",
    "prctl": "processes do not end with the one that started them",
    "stop": "processes cannot be stopped",
}

SLOWER = """
import os
def bench_work():
    sum(range(20_000 * int(os.environ.get("FACTOR", "1"))))
    return 1
"""


def hiding(*parts):
    return os.environ | {"PYTHONPATH": os.pathsep.join([str(HIDDEN), str(ROOT)]), "HIDDEN": " ".join(parts)}


#: Elsewhere some of it is missing anyway.
linux = pytest.mark.skipif(sys.platform != "linux", reason="what is hidden is Linux's")


@linux
@pytest.mark.clock
@pytest.mark.environment
@pytest.mark.parametrize(
    "parts", [*(pytest.param((part,), marks=pytest.mark.rest) for part in PARTS), PARTS], ids=" ".join
)
def test_an_upgrade_is_decided(tmp_path, parts):
    path = tmp_path / "mine.py"
    path.write_text(SLOWER)
    seen = [
        word
        for option, factor in (("--old-env", "1"), ("--new-env", "9"))
        for text in (f"FACTOR={factor}", f"PYTHONPATH={HIDDEN}", f"HIDDEN={' '.join(parts)}")
        for word in (option, text)
    ]
    command = [*ARRAYSPEED, "upgrade", "--file", str(path), *seen, "--rounds", "12", "--format", "json"]
    done = subprocess.run(command, cwd=ROOT, env=hiding(*parts), capture_output=True, text=True, timeout=300)
    assert done.returncode == 1, done.stderr
    data = schema.read("upgrade", done.stdout)
    rows = {(row["function"], row["measure"]): row for row in data["comparisons"]}
    assert rows["bench_work", "time_call"]["verdict"] == "slower"
    for part, words in SAID.items():
        hidden = part in parts
        assert done.stderr.count(words) == hidden, "said once"
        assert any(words in note for note in data["notes"]) == hidden
        (kept,) = map(json.loads, (tmp_path / ".arrayspeed/states.jsonl").read_text().splitlines())
        assert any(words in text for text in kept.get("missing", [])) == hidden, "and stored"
    has_memory = ("bench_work", "memory") in rows
    assert has_memory == ("proc" not in parts)


WHAT = """
import json, os, subprocess, sys
from arrayspeed.system import processes, state, missing
other = subprocess.Popen([sys.executable, "-c", "while True: pass"])
processes.stop(other.pid)
before = os.times()
processes.go(other.pid)
other.kill()
print(json.dumps([other.wait(), sorted(processes.affinity()), processes.read(os.getpid()) is None,
                  len(processes.threads_of(os.getpid())), len(missing.missing()), state.now(seconds=0.01).data()]))
"""


@linux
@pytest.mark.parametrize(
    "parts", [(), *((part,) for part in PARTS), PARTS], ids=lambda parts: " ".join(parts) or "none"
)
def test_each_part_stands_alone(parts):
    done = subprocess.run(
        [sys.executable, "-c", WHAT], cwd=ROOT, env=hiding(*parts), capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    status, cores, unread, threads, lacking, state = json.loads(done.stdout)
    assert status == -9, "how a process ended is left to who started it"
    assert len(cores) == state["processors"] >= 1
    assert unread == ("proc" in parts)
    assert threads == (0 if "proc" in parts else 1)
    assert lacking == len(parts)


@pytest.mark.skipif(not processes.sees_processes(), reason="nothing tells that a process has stopped")
def test_a_child_is_known_to_have_stopped_without_proc(monkeypatch):
    made = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        state = processes.state
        monkeypatch.setattr(processes, "state", lambda pid: None)
        processes.stop(made.pid)
        assert state(made.pid) == "T"
    finally:
        made.kill()
        assert made.wait() == -9


def test_cores_cannot_be_chosen_everywhere(tmp_path):
    (tmp_path / "mine.py").write_text(SLOWER)
    command = [*ARRAYSPEED, "upgrade", "--file", str(tmp_path / "mine.py"), "--old-env", "A=1", "--cores", "1"]
    done = subprocess.run(command, cwd=ROOT, env=hiding("affinity"), capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert done.stderr.startswith("arrayspeed: --cores needs a system where processes can be kept to cores")


def test_nothing_is_missing_here():
    assert missing.missing() == [] or sys.platform != "linux"
    assert bool(missing.sentence()) == bool(missing.missing())
