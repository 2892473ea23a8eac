"""Runs that are killed and go on, and a real comparison of two copies of one environment."""

import json
import math
import os
import random
import re
import signal
import subprocess
import threading
import time
from types import SimpleNamespace

import pytest

from arrayspeed.model.combination import Combination
from arrayspeed.records import processes, results
from arrayspeed.releases.matrix import groups
from tests.conftest import ARRAYSPEED, command, finished, stored

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
            if ".saving-" not in str(path):  # a temporary folder, which a kill may leave and the next run removes
                json.loads(path.read_text())
    assert done, "every run was killed before it had finished a chunk"
    last = command(*ARRAYSPEED, *SELECTED, cwd=empty)
    done += finished(last.stderr)
    assert len(done) == len(set(done)), "a finished chunk was measured again"
    assert stored(empty) == {(k, s, "numpy") for k in ("add", "multiply", "sine") for s in (10, 100, 1000)}
    lose_a_value(empty)
    for known in (8, 9):
        again = command(*ARRAYSPEED, *SELECTED, cwd=empty)
        assert f"{known} of 9 are finished" in again.stdout
        assert len(finished(again.stderr)) == 9 - known


def lose_a_value(folder):
    """Leave a value's process and take the value, as a kill between the two does."""
    (path,) = [path for path in results.result_files(folder / "results") if "add_float64" in path.read_text()]
    data = json.loads(path.read_text())
    (name,) = [name for name in data["results"] if "add_float64" in name]
    values = data["results"][name][data["result_columns"].index("result")]
    values[next(index for index, value in enumerate(values) if isinstance(value, float))] = math.nan
    path.write_text(json.dumps(data))


def test_results_committed_in_between_do_not_start_a_run_anew(empty):
    first = [*SELECTED[:-4], "--size", "10"]
    command(*ARRAYSPEED, *first, cwd=empty)
    command("git", "add", "results", cwd=empty)
    who = ("-c", "user.name=test", "-c", "user.email=test@example.invalid")
    command("git", *who, "commit", "--quiet", "--message", "results", cwd=empty)
    assert "3 of 3 are finished" in command(*ARRAYSPEED, *first, cwd=empty).stdout


def test_a_change_of_the_code_has_measured_again_what_depends_on_it(empty):
    first = [*SELECTED[:-4], "--size", "10"]
    who = ("-c", "user.name=test", "-c", "user.email=test@example.invalid")
    stale = [*ARRAYSPEED, "run", "--stale", "--environment", "tensorflow"]
    command(*ARRAYSPEED, *first, cwd=empty)
    assert command(*stale, cwd=empty).stdout == "none of 3 values is out of date\n"
    path = empty / "kernels/elementwise/shared.py"
    for change, left in (("    return a + b  # the sum\n", 3), ("    return b + a\n", 2)):
        path.write_text(path.read_text().replace("    return a + b\n", change, 1))
        command("git", *who, "commit", "--quiet", "--all", "--message", "kernels", cwd=empty)
        said = command(*stale, cwd=empty, status=0 if left == 3 else 1).stdout
        assert ("add: changed: kernel (1 value)" in said) is (left == 2)
        again = command(*ARRAYSPEED, *first, cwd=empty)
        assert f"{left} of 3 are finished" in again.stdout
        assert len(finished(again.stderr)) == 3 - left
        path.write_text(path.read_text().replace("    return a + b  # the sum\n", "    return a + b\n", 1))


def test_an_unclean_working_tree_is_recorded_with_every_process(empty):
    """A renamed file counts too; what was measured before it was renamed is not marked."""
    one = [*SELECTED[:9], "--kernel", "add", "--rounds", "1", "--size"]
    assert "unclean" not in command(*ARRAYSPEED, *one, "10", cwd=empty).stderr
    command("git", "mv", "kernels/limits.py", "kernels/limits_of.py", cwd=empty)
    (empty / "kernels/limits.py").write_text((empty / "kernels/limits_of.py").read_text())
    done = command(*ARRAYSPEED, *one, "100", cwd=empty)
    (warning,) = [line for line in done.stderr.splitlines() if "unclean" in line]
    assert warning.startswith("warning: the results will name commit ")
    (path,) = (empty / "results").rglob("*.processes.jsonl")
    rows = [json.loads(row) for row in path.read_text().splitlines()]
    assert [(row["size"], row.get("unclean")) for row in rows] == [(10, None), (100, True)]


ADD = ["--bench", r"elementwise.add_float64\.(time_call|track_error)", "--size", "1000"]


@pytest.mark.rest
def test_two_copies_of_one_environment(empty):
    """Four rounds prove little, so only a difference that cannot be is asked for."""
    arguments = ["upgrade", "numpy", "2.4.6", "2.4.6", *ADD, "--rounds", "4", "--factor", "20"]
    done = subprocess.run([*ARRAYSPEED, *arguments, "--format", "json"], cwd=empty, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    assert data["exit_status"] == done.returncode
    time_call, error = sorted(data["comparisons"], key=lambda row: row["measure"])
    assert (time_call["measure"], error["measure"]) == ("time_call", "track_error")
    assert time_call["verdict"] == error["verdict"] == "same"
    for side in ("reference", "subject"):
        assert [process["round"] for process in time_call[side]] == [0, 1, 2, 3]
        assert all(process["value"] > 0 and len(process["batches"]) > 1 for process in time_call[side])
        assert len(error[side]) == 2, "what does not vary by chance needs no more"
    for old, new in zip(time_call["reference"], time_call["subject"], strict=True):
        assert len(old["batches"]) == len(new["batches"]), "they took turns"
    assert error["ratio"] is None and error["below"] > 0, "no digits of float64 are lost on either side"
    assert data["sides"][0]["packages"] == data["sides"][1]["packages"]
    assert "4 blocks" not in done.stderr
    assert re.search(r"2 blocks, judged after 4 rounds: about .* at most", done.stderr)
    assert re.search(r"after 4 rounds: 2 same", done.stderr)
    # What was measured is stored, and can be compared again without measuring.
    again = subprocess.run(
        [*ARRAYSPEED, *arguments, "--reuse", "--format", "json"], cwd=empty, capture_output=True, text=True
    )
    for row, before in zip(json.loads(again.stdout)["comparisons"], data["comparisons"], strict=True):
        assert [p["value"] for p in row["reference"]] == [p["value"] for p in before["reference"]]
        assert row["verdict"] == before["verdict"]
        if before["ratio"] is None:
            assert row["ratio"] is None
        else:
            assert row["ratio"] == pytest.approx(before["ratio"], rel=1e-3), "batches are stored to four digits"


@pytest.mark.parametrize(
    ("more", "backends"),
    [([], ["numpy"]), pytest.param(["--backend", "torch", "--together"], ["numpy", "torch"], marks=pytest.mark.rest)],
)
def test_copies_leave_nothing_in_the_results(empty, more, backends):
    arguments = ["copies", "--kernel", "add", "--backend", "numpy", "--size", "1000", "--rounds", "2", *more]
    done = subprocess.run([*ARRAYSPEED, *arguments, "--format", "json"], cwd=empty, capture_output=True, text=True)
    rows = json.loads(done.stdout)["copies"]
    assert [row["one"]["backend"] for row in rows] == backends
    assert all(row["one"]["kernel"] == "add" and row["rounds"] == len(row["in_turn"]) == 2 for row in rows)
    assert command("git", "status", "--porcelain", "results", cwd=empty).stdout == ""


def test_releases_in_blocks_go_on_where_they_stopped(empty):
    """The releases of NumPy side by side; started again, a run makes the rounds that are missing and no others."""
    run = ["run", "--selection", "versions", "--library", "numpy", "--rounds"]
    config = (empty / "arrayspeed/measure/selections.py").read_text()
    (empty / "arrayspeed/measure/selections.py").write_text(
        config + '\nNAMED["versions"] = [part("time_call", kernels=["add"], sizes=["small"])]\n'
    )
    env = os.environ | {"PYTHONPATH": str(empty)}
    first = subprocess.run([*ARRAYSPEED, *run, "2"], cwd=empty, capture_output=True, text=True, env=env)
    assert first.returncode == 0, first.stderr
    kept = {path.name: path.read_text().splitlines() for path in (empty / "results").rglob("*.processes.jsonl")}
    (lines_of,) = (group for group in groups((empty / "asv.conf.json").read_text()) if group.library == "numpy")
    releases = [entry["req"]["numpy"] for entry in lines_of.entries]
    assert len(kept) == len(releases) > 2
    assert all(len(rows) == 2 for rows in kept.values())
    rows = [[json.loads(row) for row in lines] for lines in kept.values()]
    assert len({row["block"] for lines in rows for row in lines}) == 1, "all releases met"
    again = subprocess.run([*ARRAYSPEED, *run, "3"], cwd=empty, capture_output=True, text=True, env=env)
    assert again.returncode == 0, again.stderr
    for path in (empty / "results").rglob("*.processes.jsonl"):
        assert [json.loads(row)["round"] for row in path.read_text().splitlines()] == [0, 1, 2]
        assert path.read_text().splitlines()[:2] == kept[path.name]
    values = results.load(empty / "results").filter(measure="time_call", kernel="add")
    assert not values["failed"].any(), "what was not run has not failed"
    assert values.filter(values["value"].is_not_null())["version"].sort().to_list() == sorted(releases)
    shown = command(*ARRAYSPEED, "versions", "numpy", "--format", "json", cwd=empty)
    assert json.loads(shown.stdout)["library"] == "numpy"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["jaxx", "1.0", "2.0"], "Did you mean 'jax'"),
        (["jax", "old", "2.0"], "'old' is not a version"),
        (["numpy", "2.4.6", "99.0"], "numpy==99.0"),
        (["numpy", "0.0.1", "2.4.6"], "numpy==0.0.1"),
        (["numpy", "2.4.6", "2.4.6", "--rounds", "1"], "2 or more"),
        (["numpy", "2.4.6", "2.4.6", "--factor", "0.9"], "5 %"),
        (["numpy", "2.4.6", "2.4.6", "--factor", "1"], "above 1"),
        (["numpy", "2.4.6", "2.4.6", "--max-unclear", "5"], "a share from 0 to 1"),
        (["numpy", "2.4.6", "2.4.6", "--minutes", "0"], "more than 0"),
        (["numpy", "2.4.6", "2.4.6", "--bench", "("], "regular expression"),
        (["numpy", "2.4.6", "2.4.6", "--bench", "no such"], "nothing that can run"),
        (["numpy", "2.4.6", "2.4.6", "--device", "tpu"], "TPU"),
        (["numpy", "2.4.6", "2.4.6", "--machine", "other"], "--reuse"),
        (["numpy", "2.4.6", "2.4.6", "--reuse"], "without --reuse"),
        (["numpy", "2.4.6", "2.4.6", "--with", "numpy==1.0"], "is the library being upgraded"),
    ],
)
def test_mistakes_get_one_line_and_status_2(empty, arguments, says):
    # The environments that tests share come and go meanwhile.
    (empty / ".asv").unlink()
    done = command(*ARRAYSPEED, "upgrade", *arguments, cwd=empty, status=2)
    (line,) = done.stderr.strip().splitlines()
    assert says in line
    assert not [path for path in empty.glob(".asv/env/*") if path.is_dir()], "an environment was made for nothing"


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
    about = {"unclean": False, "origin": {}, "packages": lambda name: {}}
    return SimpleNamespace(config=config, machine={"machine": "generated"}, commit="0123456789" * 4, **about)


def test_processes_are_kept_line_by_line(session, tmp_path):
    imports = one(benchmark="imports.library.timeraw_import", family="imports", kernel="library", dtype=None)
    imports = one(**(vars(imports) | {"measure": "timeraw_import", "size": None, "device": None}))
    kept = [
        processes.Process(
            one(), 1e-3, round=7, block="b", batches=[1e-3, None, 1.1e-3], why="once", sometimes=True, kind="error"
        ),
        processes.Process(one(size=1000), None, why="it crashed", kind="crashed"),
        processes.Process(imports, 0.5),
    ]
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
