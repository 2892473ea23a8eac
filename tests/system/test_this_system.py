"""What must work on every system that this runs on, Linux and macOS, with whatever that system lacks."""

import json
import os
import subprocess
import sys
import time

import pytest

from arrayspeed.environments import machine
from arrayspeed.system import missing, processes, state
from support import schema
from tests.conftest import ARRAYSPEED, ROOT
from tests.system.test_hidden import SLOWER

#: Writes a line every millisecond or so.
BUSY = "import sys, time\nwhile True: print(flush=True); time.sleep(0.001)"


@pytest.mark.clock
@pytest.mark.environment
def test_an_upgrade_is_decided(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(SLOWER)
    sides = ["--old-env", "FACTOR=1", "--new-env", "FACTOR=9"]
    command = [*ARRAYSPEED, "upgrade", "--file", str(path), *sides, "--rounds", "12", "--format", "json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 1, done.stderr
    data = schema.read("upgrade", done.stdout)
    words = {row["measure"]: row["verdict"] for row in data["comparisons"] if row["function"] == "bench_work"}
    assert words["time_call"] == "slower"
    assert [note for note in data["notes"] if note == missing.sentence()] == [missing.sentence()] * bool(
        missing.missing()
    )
    (kept,) = map(json.loads, (tmp_path / ".arrayspeed/states.jsonl").read_text().splitlines())
    assert kept.get("missing", []) == missing.missing()


@pytest.mark.skipif(not processes.can_stop(), reason="nothing stops processes here")
def test_a_process_that_is_stopped_does_nothing_until_it_goes_on():
    with subprocess.Popen([sys.executable, "-c", BUSY], stdout=subprocess.PIPE) as made:
        try:
            os.set_blocking(made.stdout.fileno(), False)

            def written():
                time.sleep(0.3)
                return len(made.stdout.read() or b"")

            until = time.monotonic() + 30
            while not written() and time.monotonic() < until:
                pass
            processes.stop(made.pid)
            made.stdout.read()
            assert written() == 0
            processes.go(made.pid)
            until = time.monotonic() + 30
            while not (more := written()) and time.monotonic() < until:
                pass
            assert more
        finally:
            made.kill()


def test_this_machine_has_a_name_and_a_state():
    name = machine.describe()["machine"]
    assert name.strip("-") and f"{len(processes.affinity())}cpu" in name
    assert state.now(seconds=0.01).processors == len(processes.affinity())
