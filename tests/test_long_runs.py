"""Runs that are killed and go on, and a real comparison of two copies of one environment."""

import json
import random
import signal
import subprocess
import threading
import time
from types import SimpleNamespace

import pytest

from arrayspeed import processes
from arrayspeed.plan import Combination
from tests.conftest import ARRAYSPEED, ROOT, command, finished, stored

#: Nine chunks of one short process each.
SELECTED = [
    *("run", "--environment", "tensorflow", "--backend", "numpy", "--dtype", "float64", "--measure", "time_call"),
    *("--kernel", "add", "--kernel", "multiply", "--kernel", "sine", "--rounds", "1"),
    *("--size", "10", "--size", "100", "--size", "1000"),
]


def killed(folder, chunks, seconds):
    """Start the run, kill it some time after so many chunks, and return what it said was finished."""
    run = subprocess.Popen(
        [*ARRAYSPEED, *SELECTED], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    watchdog = threading.Timer(120, run.kill)
    watchdog.start()
    lines = []
    while chunks:
        line = run.stdout.readline()
        if not line:
            break
        lines.append(line)
        chunks -= len(finished(line))
    time.sleep(seconds)
    run.send_signal(signal.SIGKILL)
    lines.append(run.stdout.read())
    run.wait(60)
    watchdog.cancel()
    return finished("".join(lines))


def test_a_run_that_is_killed_goes_on_and_measures_nothing_twice(empty):
    rng = random.Random(8)
    done = []
    for chunks in (1, 0, 2, 1, 1):
        done += killed(empty, chunks, rng.uniform(0, 0.6))
        for path in (empty / "results").rglob("*.json"):
            json.loads(path.read_text())
    assert done, "every run was killed before it had finished a chunk"
    last = command(*ARRAYSPEED, *SELECTED, cwd=empty)
    done += finished(last.stdout)
    assert len(done) == len(set(done)), "a finished chunk was measured again"
    assert stored(empty) == {(k, s, "numpy") for k in ("add", "multiply", "sine") for s in (10, 100, 1000)}
    again = command(*ARRAYSPEED, *SELECTED, cwd=empty)
    assert "9 of 9 are finished" in again.stdout
    assert finished(again.stdout) == []


def test_results_committed_in_between_do_not_start_a_run_anew(empty):
    first = [*SELECTED[:-4], "--size", "10"]
    command(*ARRAYSPEED, *first, cwd=empty)
    command("git", "add", "results", cwd=empty)
    who = ("-c", "user.name=test", "-c", "user.email=test@example.invalid")
    command("git", *who, "commit", "--quiet", "--message", "results", cwd=empty)
    assert "3 of 3 are finished" in command(*ARRAYSPEED, *first, cwd=empty).stdout
    (empty / "kernels/limits.py").write_text((empty / "kernels/limits.py").read_text() + "\n# changed\n")
    command("git", "add", "kernels", cwd=empty)
    command("git", *who, "commit", "--quiet", "--message", "kernels", cwd=empty)
    assert "finished at" not in command(*ARRAYSPEED, *first, cwd=empty).stdout


ADD = ["--bench", r"add_float64\.(time_call|track_error)", "--size", "1000"]


def test_two_copies_of_one_environment(empty):
    """Three processes a side prove nothing, so only a difference that cannot be is asked for."""
    arguments = ["upgrade", "numpy", "2.4.6", "2.4.6", *ADD, "--rounds", "3", "--factor", "20"]
    done = subprocess.run([*ARRAYSPEED, *arguments, "--format", "json"], cwd=empty, capture_output=True, text=True)
    assert done.returncode in (0, 2), done.stderr
    data = json.loads(done.stdout)
    assert data["status"] == done.returncode
    time_call, error = sorted(data["comparisons"], key=lambda row: row["measure"])
    assert (time_call["measure"], error["measure"]) == ("time_call", "track_error")
    for side in ("old", "new"):
        assert len(time_call[side]) == 3
        assert all(process["value"] > 0 and len(process["samples"]) > 1 for process in time_call[side])
    assert error["ratio"] == 1.0
    assert data["other_packages"] == {}
    # What was measured is stored, and can be compared again without measuring.
    again = subprocess.run(
        [*ARRAYSPEED, *arguments, "--reuse", "--format", "json"], cwd=empty, capture_output=True, text=True
    )
    values = {row["measure"]: [p["value"] for p in row["old"]] for row in json.loads(again.stdout)["comparisons"]}
    assert values == {row["measure"]: [p["value"] for p in row["old"]] for row in data["comparisons"]}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["jaxx", "1.0", "2.0"], "Did you mean 'jax'"),
        (["jax", "old", "2.0"], "'old' is not a version"),
        (["numpy", "2.4.6", "99.0"], "numpy==99.0"),
        (["numpy", "0.0.1", "2.4.6"], "numpy==0.0.1"),
        (["numpy", "2.4.6", "2.4.6", "--rounds", "1"], "2 or more"),
        (["numpy", "2.4.6", "2.4.6", "--factor", "0.9"], "5 %"),
        (["numpy", "2.4.6", "2.4.6", "--bench", "("], "regular expression"),
        (["numpy", "2.4.6", "2.4.6", "--bench", "no such"], "nothing that can run"),
        (["numpy", "2.4.6", "2.4.6", "--device", "tpu"], "TPU"),
        (["numpy", "2.4.6", "2.4.6", "--machine", "other"], "--reuse"),
        (["numpy", "2.4.6", "2.4.6", "--reuse"], "without --reuse"),
        (["numpy", "2.4.6", "2.4.6", "--with", "numpy==1.0"], "is what is upgraded"),
    ],
)
def test_mistakes_get_one_line_and_status_2(empty, arguments, says):
    before = set((ROOT / ".asv/env").iterdir())
    done = command(*ARRAYSPEED, "upgrade", *arguments, cwd=empty, status=2)
    lines = done.stderr.strip().splitlines()
    assert says in lines[-1]
    others = [line for line in lines[:-1] if not line.startswith("Creating environment")]
    assert others == [], "one line is enough"
    made = set((ROOT / ".asv/env").iterdir()) - before
    assert all((path / "asv-env-info.json").exists() for path in made), "half an environment is left behind"


def one(**changes):
    values = {
        "environment": "venv",
        "benchmark": "linalg.matmul_float64.time_call",
        "index": -1,
        "family": "linalg",
        "kernel": "matmul",
        "dtype": "float64",
        "measure": "time_call",
        "backend": "numpy",
        "size": 100,
        "device": "cpu",
    }
    return Combination(**(values | changes))


@pytest.fixture
def session(tmp_path):
    config = SimpleNamespace(results_dir=str(tmp_path))
    return SimpleNamespace(config=config, machine={"machine": "generated"}, commit="0123456789" * 4)


def test_processes_are_kept_line_by_line(session, tmp_path):
    imports = one(benchmark="imports.library.timeraw_import", family="imports", kernel="library", dtype=None)
    imports = one(**(vars(imports) | {"measure": "timeraw_import", "size": None, "device": None}))
    kept = [processes.Process(one(), 1e-3), processes.Process(one(size=1000), None), processes.Process(imports, 0.5)]
    processes.store(session, "venv", kept[:2])
    (path,) = (tmp_path / "generated").iterdir()
    with path.open("a") as file:
        file.write('{"benchmark": "linalg.mat')  # a kill
    processes.store(session, "venv", kept[2:])
    with path.open("a") as file:
        for line in ("null", "[1]", '{"benchmark": 1, "value": "x"}', '{"value": NaN}'):
            file.write(line + "\n")
    assert list(processes.load(tmp_path, "generated", "venv", [session.commit])) == kept
    assert list(processes.load(tmp_path, "generated", "venv", ["f" * 40])) == []
