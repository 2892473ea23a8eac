"""Blocks of backends: who is in them, and real rounds of two backends that are stored, go on and fail."""

import contextlib
import json
import math
import os
import subprocess
from types import SimpleNamespace

import pytest

from arrayspeed.audit import copies
from arrayspeed.measure import backends, block_results
from arrayspeed.measure.backends import blocks_of_backends, needed
from arrayspeed.measure.block_results import resumed
from arrayspeed.measure.session import Session
from arrayspeed.model.combination import Combination
from arrayspeed.records import processes, results
from arrayspeed.records.processes import Process
from tests.conftest import ARRAYSPEED, command


def one(backend, device="cpu", measure="time_call", size=1000, environment="venv"):
    labels = {"family": "elementwise", "kernel": "add", "dtype": "float64", "measure": measure}
    return Combination(
        environment, f"elementwise.add_float64.{measure}", 0, **labels, backend=backend, size=size, device=device
    )


def names(blocks):
    return [[(side.backend, side.device) for side in block.sides] for block in blocks]


def test_all_backends_of_an_environment_are_in_one_block():
    found = blocks_of_backends([one("jax"), one("numpy"), one("torch"), one("numpy", environment="alone")])
    assert names(found) == [[(name, "cpu") for name in ("numpy", "jax", "torch")]], "the anchor comes first"


def test_what_needs_processes_of_its_own_is_in_no_block():
    assert blocks_of_backends([one(name, measure="peakmem_call") for name in ("numpy", "jax")]) == []


def test_a_card_meets_numpy_on_the_cpu():
    found = blocks_of_backends([one("numpy"), one("jax"), one("jax", "gpu"), one("torch", "gpu")])
    assert {tuple(sorted(each)) for each in names(found)} == {
        (("jax", "cpu"), ("numpy", "cpu")),
        (("jax", "gpu"), ("numpy", "cpu"), ("torch", "gpu")),
    }
    assert len({block.name for block in found}) == 2
    assert len({block.shares for block in found}) == 2, "a process has one device"


def test_backends_that_do_not_fit_into_memory_are_in_several_blocks_with_the_anchor(monkeypatch):
    every = ["numpy", "numba", "jax", "jax-jit", "torch"]
    room = 3 * needed(one("numpy")) / backends.SHARE
    monkeypatch.setattr(backends, "all_memory", lambda: room * 1.01)
    found = names(blocks_of_backends(map(one, every)))
    assert [len(each) for each in found] == [3, 3]
    assert all(each[0] == ("numpy", "cpu") for each in found)
    assert {side for each in found for side, _ in each} == set(every)
    monkeypatch.setattr(backends, "all_memory", lambda: 1)
    assert all(len(each) == 2 for each in names(blocks_of_backends(map(one, every)))), "a comparison needs two"


def test_each_backend_meets_a_copy_of_itself_among_all(monkeypatch):
    every = [one(name) for name in ("numpy", "numba", "jax")]
    (block,) = blocks_of_backends(every, alike=2)
    made = copies.with_a_copy_each(block)
    assert len(made.sides) == 6 and [name for name, _ in made.named[:4]] == ["numpy", "numba", "jax", "numpy copy"]
    assert all(name.removesuffix(" copy") == side.backend for name, side in made.named)
    seconds = dict(zip(made.names, (1.0, 2.0, 3.0, 1.0, 2.2, 3.0), strict=True))
    groups = {(made.name, name): [Process(side, seconds[name], round=0)] for name, side in made.named}
    found = copies.observed(groups)
    assert {name: ones.differences() for (_, name), ones in found.items()} == {
        "numpy copy": [0.0],
        "numba copy": [pytest.approx(math.log(1.1))],
        "jax copy": [0.0],
    }, "nothing is compared with another backend"
    monkeypatch.setattr(backends, "all_memory", lambda: 6 * needed(one("numpy")) / backends.SHARE * 1.01)
    assert len(blocks_of_backends(every)) == len(blocks_of_backends(every, alike=2)) == 1
    monkeypatch.setattr(backends, "all_memory", lambda: 5 * needed(one("numpy")) / backends.SHARE)
    assert len(blocks_of_backends(every)) == 1 and len(blocks_of_backends(every, alike=2)) == 2, "copies take memory"


def test_first_calls_and_errors_come_from_the_processes_that_are_timed():
    ones = [one(name, measure=measure) for measure in ("time_call", "track_first_call") for name in ("numpy", "jax")]
    first, second = blocks_of_backends(ones)
    assert first.shares == second.shares != None  # noqa: E711


def test_results_that_a_kill_left_out_are_written_by_the_next_run(monkeypatch):
    (block,) = blocks_of_backends([one("numpy"), one("numba")])
    played = [Process(side, 1.0, round=0, block=block.name) for side in block.sides]
    written = []
    monkeypatch.setattr(backends, "stored", lambda *_: {block.name: played})
    monkeypatch.setattr(backends, "write_results", lambda _, found: written.append(found))
    monkeypatch.setattr(backends, "rounds", lambda *_: contextlib.nullcontext())
    assert backends.add_rounds(None, [block], 1) == (0, 0)
    assert written == [{block.name: played}]


ONLY = """

FEW = {"kernels": ["add"], "sizes": ["10"], "backends": ["numpy", "numba"], "devices": ["cpu"]}
def few(*measures):
    return [part(measure, **FEW) for measure in measures]
IN_TURN[:] = few("time_call", "track_error")
BENCH[:] = few("time_call", "track_error")
"""


@pytest.fixture
def few_backends(empty):
    """A clone in which the selections are two backends of one kernel; and what runs in it."""
    path = empty / "arrayspeed/measure/selections.py"
    path.write_text(path.read_text() + ONLY)
    env = os.environ | {"PYTHONPATH": str(empty)}

    def run(*arguments, status=0):
        done = subprocess.run([*ARRAYSPEED, *arguments], cwd=empty, capture_output=True, text=True, env=env)
        assert done.returncode == status, done.stderr
        return done

    return empty, run


def stored(folder):
    paths = (folder / "results").rglob("*.processes.jsonl")
    return [json.loads(row) for path in paths for row in path.read_text().splitlines()]


@pytest.mark.rest
def test_each_run_adds_a_round(few_backends):
    folder, run = few_backends
    for count in (1, 2):
        run("bench")
        rows = stored(folder)
        times = [row for row in rows if row["benchmark"].endswith("time_call")]
        assert [(row["backend"], row["round"]) for row in times] == [
            (name, number) for number in range(count) for name in ("numpy", "numba")
        ]
        assert len({row["block"] for row in times}) == 1, "they met"
        by_round = [[len(row["batches"]) for row in times if row["round"] == number] for number in range(count)]
        assert all(first == second for first, second in by_round), "they took turns"
    values = results.load(folder / "results").filter(measure="time_call")
    assert sorted(values.filter(values["value"].is_not_null())["backend"]) == ["numba", "numpy"]
    (group,) = [
        each
        for path in (folder / "html/report/data").glob("decisions-*.json")
        for each in json.loads(path.read_text())["groups"]
        if each["measure"] == "time_call"
    ]
    assert group["apart"] == []
    shown = command(*ARRAYSPEED, "summary", "--all-sizes", cwd=folder).stdout
    assert "numba" in shown and " ~" not in shown


@pytest.mark.parametrize(("asked", "numbers"), [(0, {}), (2, {"numpy": {0, 1}}), (3, {"numpy": {0, 1}, "numba": {2}})])
def test_rounds_that_lack_a_side_are_made_again_and_get_numbers_of_their_own(asked, numbers):
    (block,) = blocks_of_backends([one("numpy"), one("numba")])
    sides = {side.backend: side for side in block.sides}
    played = [Process(sides[name], 1.0, round=number) for name, those in numbers.items() for number in those]
    again, whole = resumed(block, played)
    assert (whole, again.passed) == (0, asked)
    again, whole = resumed(block, [*played, *(Process(side, 1.0, round=asked) for side in sides.values())])
    assert (whole, again.passed) == (1, asked)


def test_rounds_go_on_at_the_commit_where_all_that_they_depend_on_was_the_same(tmp_path):
    (block,) = blocks_of_backends([one("numpy"), one("numba")])
    now, old, oldest = ("0123"[number] * 40 for number in range(3))
    about = {"packages": lambda name: {}, "alike": lambda name: [], "unclean": False, "origin": {}}
    config = SimpleNamespace(results_dir=str(tmp_path))
    session = Session(config, None, [now], {"machine": "here"}, {"venv": None}, None, [old, oldest])
    for name, value in about.items():
        setattr(session, name, value)
    played = [Process(side, 1.0, round=0, block=block.name) for side in block.sides]
    for commit in (old, oldest):
        processes.store(session, "venv", played, commit)
    assert block_results.stored(session, {block.name: block}) == {block.name: played}
    assert session.home(block.name) == old and session.home("another") == now
    (path,) = tmp_path.rglob(f"{old[:8]}*{processes.SUFFIX}")
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    rows[1]["fingerprint"] = "0" + rows[1]["fingerprint"][1:] if rows[1]["fingerprint"][0] != "0" else "1"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    session.homes.clear()
    block_results.stored(session, {block.name: block})
    assert session.home(block.name) == oldest, "one side has changed since the newer one"
    processes.store(session, "venv", played)
    session.homes.clear()
    assert len(block_results.stored(session, {block.name: block})[block.name]) == 2
    assert session.home(block.name) == now, "of today's code there is something"


def test_rounds_until_decided_go_on_where_they_stopped(few_backends):
    folder, run = few_backends
    for rounds in ("2", "3"):
        said = run("run", "--selection", "backends", "--tier", "bench", "--rounds", rounds)
        assert f"after {rounds} rounds" in said.stderr
        numbers = {row["round"] for row in stored(folder) if row["benchmark"].endswith("time_call")}
        assert numbers == set(range(int(rounds)))
    (path,) = (folder / "results").rglob("*.processes.jsonl")
    path.write_text("".join(row for row in path.read_text().splitlines(keepends=True) if '"numba"' not in row))
    run("run", "--selection", "backends", "--tier", "bench", "--rounds", "3")
    rows = [row for row in stored(folder) if row["benchmark"].endswith("time_call")]
    by_backend = {name: sorted(row["round"] for row in rows if row["backend"] == name) for name in ("numpy", "numba")}
    assert by_backend == {"numpy": list(range(6)), "numba": [3, 4, 5]}


WHO = ("-c", "user.name=test", "-c", "user.email=test@example.invalid")


@pytest.mark.rest
def test_rounds_go_on_where_another_kernel_has_changed(few_backends):
    folder, run = few_backends

    def rounds_after(file, text, count):
        path = folder / "kernels/elementwise" / file
        path.write_text(path.read_text() + text)
        command("git", *WHO, "commit", "--quiet", "--all", "--message", "kernels", cwd=folder)
        done = run("run", "--selection", "backends", "--tier", "bench", "--rounds", count)
        paths = sorted((folder / "results").rglob("*.processes.jsonl"))
        assert f"after {count} rounds" in done.stderr
        return {path: {json.loads(row)["round"] for row in path.read_text().splitlines()} for path in paths}

    before = rounds_after("numba.py", "\n", "2")
    (path,) = before
    after = rounds_after("numba.py", "\n\ndef other(x):\n    return x\n", "3")
    assert after == {path: {0, 1, 2}}, "nothing that these times depend on is another"
    values = results.load(folder / "results").filter(measure="time_call", kernel="add", size=10)
    assert set(values["commit"].str.slice(0, 8)) == {path.name[:8]}
    anew = rounds_after("numba.py", "\n\nbefore = add\nadd = before\n", "1")
    assert {len(numbers) for numbers in anew.values()} == {3, 1}, "Numba's is another, and so are its rounds"


@pytest.mark.rest
def test_a_backend_that_crashes_in_a_block_leaves_the_others(few_backends):
    folder, run = few_backends
    path = folder / "kernels/elementwise/numba.py"
    path.write_text(path.read_text() + "\n\ndef add(*_):\n    import os\n    os.kill(os.getpid(), 11)\n")
    done = run("bench", status=1)
    assert "failed: elementwise.add_float64.time_call(numba, 10, cpu)" in done.stderr
    rows = [row for row in stored(folder) if row["benchmark"].endswith("time_call")]
    assert [row["value"] is None for row in rows] == [False, True]
    assert rows[1]["kind"] == "crashed"
