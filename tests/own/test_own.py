"""Own code: from a file and two sides to a verdict. Sides differ by an environment variable, so nothing is fetched."""

import ctypes
import json
import signal
import subprocess
import sys
import time
from contextlib import nullcontext
from types import SimpleNamespace

import pytest

from arrayspeed.cli.main import main
from arrayspeed.decide import Observed
from arrayspeed.measure.looking import Limits, OutOfTime
from arrayspeed.own import until_decided
from support import schema
from tests.conftest import ARRAYSPEED, ROOT

#: Sides are started and timed.
pytestmark = pytest.mark.environment

SLOWER = """
import os
sizes = (3, 4)
def inputs(rng, size):
    return (size,)
def bench_work(size):
    sum(range(10_000 * int(os.environ.get("FACTOR", "1"))))
    return size
"""


@pytest.fixture
def upgrade(tmp_path, capsys, few_turns):
    """Runs ``arrayspeed upgrade --file`` with variables for both sides: status, standard output and error."""

    def run(source, *options, old=("A=1",), new=("A=2",), rounds=4):
        path = tmp_path / "mine.py"
        path.write_text(source)
        sides = [
            word for name, texts in (("--old-env", old), ("--new-env", new)) for text in texts for word in (name, text)
        ]
        with pytest.raises(SystemExit) as ended:
            main(["upgrade", "--file", str(path), *sides, "--rounds", str(rounds), *options])
        return ended.value.code, capsys.readouterr()

    return run


def rows_of(printed):
    data = schema.read("upgrade", printed.out)
    return {(row["function"], row["size"], row["measure"]): row for row in data["comparisons"]}, data


@pytest.mark.clock
def test_a_side_that_waits_longer_is_slower(upgrade, tmp_path):
    page = tmp_path / "page.html"
    status, printed = upgrade(SLOWER, "--format", "json", "--html", str(page), old=["FACTOR=1"], new=["FACTOR=3"])
    rows, data = rows_of(printed)
    assert status == data["exit_status"] == 1
    for size in (3, 4):
        row = rows["bench_work", size, "time_call"]
        assert row["verdict"] == "slower"
        assert 2 < row["ratio"] < 4.5
        assert rows["bench_work", size, "result"]["verdict"] == "same"
        assert rows["bench_work", size, "kept"]["verdict"] in ("same", "negligible")
    assert (None, None, "import") in rows
    assert [one["env"] for one in data["sides"]] == [{"FACTOR": "1"}, {"FACTOR": "3"}]
    html = page.read_text()
    assert "work(3)" in html
    assert "<svg" in html
    assert "FACTOR=3" in html
    assert "://" not in html and "default-src 'none'" in html, "nothing is fetched"


def test_functions_and_sizes_are_chosen(upgrade):
    both = SLOWER + "def bench_other(size):\n    return 1\n"
    _, printed = upgrade(both, "-k", "oth", "--size", "4", "--format", "json", rounds=2)
    rows, _ = rows_of(printed)
    assert {key[:2] for key in rows} == {("bench_other", 4), (None, None)}


def test_a_second_run_measures_nothing_again(upgrade, tmp_path):
    chosen = ["--size", "3", "--format", "json"]
    first, one = upgrade(SLOWER, *chosen, rounds=2)
    lines = (tmp_path / ".arrayspeed/mine.jsonl").read_text()
    second, other = upgrade(SLOWER, *chosen, rounds=2)
    assert (tmp_path / ".arrayspeed/mine.jsonl").read_text() == lines
    assert (first, one.out) == (second, other.out)
    upgrade(SLOWER, *chosen, "--again", rounds=2)
    assert len((tmp_path / ".arrayspeed/mine.jsonl").read_text()) > 1.5 * len(lines)
    upgrade(SLOWER + "# changed\n", *chosen, rounds=2)
    runs = {json.loads(line)["run"] for line in (tmp_path / ".arrayspeed/mine.jsonl").read_text().splitlines()}
    assert len(runs) == 2, "another file is another run"


@pytest.mark.parametrize("number", [signal.SIGKILL, pytest.param(signal.SIGINT, marks=pytest.mark.rest)])
def test_nothing_finished_is_lost(upgrade, tmp_path, number):
    path = tmp_path / "mine.py"
    path.write_text(SLOWER)
    sides = ["--old-env", "A=1", "--new-env", "A=2"]
    running = subprocess.Popen(
        [*ARRAYSPEED, "upgrade", "--file", str(path), *sides, "--rounds", "32"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    records = tmp_path / ".arrayspeed/mine.jsonl"
    until = time.monotonic() + 120
    while time.monotonic() < until and not (records.exists() and records.read_text().count('"bench_work"') >= 6):
        time.sleep(0.05)
    running.send_signal(number)
    out, _ = running.communicate(timeout=120)
    before = records.read_text().splitlines()
    if number == signal.SIGINT:
        assert running.returncode in (1, 2)
        assert "UNDECIDED" in out or "NOT SAFE" in out, "what is there is judged"
    with open(records, "a") as file:
        file.write('{"run": "torn')
    upgrade(SLOWER, rounds=4)
    after = records.read_text().splitlines()
    assert after[: len(before)] == before
    again = [json.loads(line) for line in after if line.startswith("{") and line.endswith("}")]
    measured = [(row["function"], row["size"], row["round"], row["side"]) for row in again if row["function"]]
    assert len(measured) == len(set(measured)) == 2 * 2 * 4, "no round twice, and none missing"


def test_results_go_where_they_are_wanted(upgrade, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status, printed = upgrade("def bench_one():\n    return 1\n", "--results", "out", "--format", "json", rounds=2)
    assert status in (0, 1, 2)
    assert schema.read("upgrade", printed.out)["comparisons"]
    assert (tmp_path / "out/mine.jsonl").exists()
    assert not (tmp_path / ".arrayspeed").exists()


def test_what_calls_keep_is_found(upgrade):
    source = """
import os
kept = []
cache = {}
def bench_leak():
    if os.environ.get("LEAK"):
        kept.append(bytes(150))
    return 1
def bench_cache():
    cache.setdefault(len(cache) % 50, bytes(1000))
    return 1
"""
    status, printed = upgrade(source, "--format", "json", old=["LEAK="], new=["LEAK=1"])
    rows, _ = rows_of(printed)
    assert status == 1
    assert rows["bench_leak", None, "kept"]["verdict"] == "larger"
    assert rows["bench_leak", None, "kept"]["ratio_is"] == "at least", "next to nothing was kept before"
    values = [one["value"] for one in rows["bench_leak", None, "kept"]["subject"]]
    assert all(150 < value < 300 for value in values)
    assert rows["bench_cache", None, "kept"]["verdict"] in ("same", "negligible")


def test_what_no_allocator_counts_is_found(upgrade):
    source = """
import mmap
import os
kept = []
def bench_leak():
    pages = mmap.mmap(-1, 1 << 16)
    pages[:] = bytes(1 << 16)
    if os.environ.get("LEAK"):
        kept.append(pages)
    return 1
"""
    status, printed = upgrade(source, "--format", "json", old=["LEAK="], new=["LEAK=1"])
    rows, _ = rows_of(printed)
    assert status == 1
    assert rows["bench_leak", None, "resident"]["verdict"] == "larger"
    values = [one["value"] for one in rows["bench_leak", None, "resident"]["subject"]]
    assert all(1 << 16 <= value < 1.1 * (1 << 16) for value in values)


def test_memory_at_the_peak_of_a_call(upgrade):
    source = "import os\ndef bench_take():\n    return len(bytearray(int(os.environ['N']) << 20))\n"
    status, printed = upgrade(source, "--format", "json", old=["N=10"], new=["N=40"])
    rows, _ = rows_of(printed)
    row = rows["bench_take", None, "memory"]
    assert status == 1
    assert row["verdict"] == "larger"
    assert 3.5 < row["ratio"] < 4.5


def test_a_failure_on_one_side_is_a_verdict(upgrade):
    source = """
import os
def bench_good():
    return 1
def bench_bad():
    if os.environ["A"] == "2":
        raise ValueError("no such thing")
    return 1
"""
    status, printed = upgrade(source, "--format", "json")
    rows, _ = rows_of(printed)
    assert status == 1
    bad = rows["bench_bad", None, "time_call"]
    assert bad["verdict"] == "fails"
    assert bad["detail"] == "fails in A=2: ValueError: no such thing (mine.py:7)"
    assert rows["bench_good", None, "time_call"]["verdict"] != "fails"
    status, printed = upgrade(source, "--format", "markdown", old=["A=2"], new=["A=1"])
    assert "works now" in printed.out


def test_a_function_that_ends_its_process_takes_nothing_with_it(upgrade):
    source = """
import os, signal
def bench_a():
    return 1
def bench_crash():
    if os.environ["A"] == "2":
        os.kill(os.getpid(), signal.SIGSEGV)
    return 1
def bench_z():
    return 1
"""
    status, printed = upgrade(source, "--format", "json")
    rows, _ = rows_of(printed)
    assert status == 1
    assert rows["bench_crash", None, "time_call"]["verdict"] == "fails"
    assert "SIGSEGV" in rows["bench_crash", None, "time_call"]["detail"]
    for name in ("bench_a", "bench_z"):
        assert rows[name, None, "time_call"]["failed_subject"] == 0
        assert rows[name, None, "time_call"]["rounds"] == 4


def test_what_takes_too_long_fails_and_is_not_waited_for_in_every_round(upgrade):
    source = """
import os, time
def bench_a():
    return 1
def bench_hang():
    time.sleep(3600 if os.environ["A"] == "2" else 0.001)
    return 1
"""
    started = time.monotonic()
    status, printed = upgrade(source, "--format", "json", "--timeout", "3")
    rows, _ = rows_of(printed)
    assert status == 1
    row = rows["bench_hang", None, "time_call"]
    assert row["verdict"] == "fails"
    assert "time was up" in row["detail"]
    assert row["failed_subject"] == 2
    assert time.monotonic() - started < 3600


def test_an_interpreter_as_it_is(upgrade):
    status, printed = upgrade(
        "def bench_one():\n    return 1\n", "--format", "json", "--python", sys.executable, old=["A=1"], rounds=2
    )
    _, data = rows_of(printed)
    assert status in (0, 1, 2)
    assert "pytest" in data["sides"][0]["packages"]


@pytest.mark.parametrize(("stopped", "last"), [(KeyboardInterrupt, False), (OutOfTime, True)])
def test_a_time_limit_is_the_last_look_and_ctrl_c_is_the_next(monkeypatch, looked, stopped, last):
    def stop(*_):
        raise stopped

    seen = {("bench_sort", None, "time_call"): Observed({0: 1.0}, {0: 1.0})}
    monkeypatch.setattr(until_decided, "rounds", lambda *_: nullcontext(stop))
    monkeypatch.setattr(until_decided, "observed", lambda *_: seen)
    found = until_decided.until_decided(
        [],
        SimpleNamespace(kind=None, times_only=False, modules=(), has_file=True),
        [],
        SimpleNamespace(has=lambda *_: False),
        Limits(),
        None,
    )
    assert found.keys() == seen.keys()
    assert looked == [last]


STATES = """
sizes = (1,)
def inputs(rng, size):
    return (size,)
def bench_blocks(size):
    return len([bytearray(800_000) for _ in range(4)])
def bench_small(size):
    return sum(range(20_000))
def bench_after(size):
    # Not far from the largest block that a fresh process retains.
    return len([bytearray(100_000) for _ in range(40)])
"""


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "mallopt"), reason="another allocator than glibc's")
def test_both_states_of_the_allocator_are_measured_where_they_differ(upgrade, tmp_path):
    _, printed = upgrade(STATES, "--format", "json", rounds=3)
    rows, _ = rows_of(printed)
    states = {key[0] for key in rows if key[2] == "time_retained"}
    assert states == {"bench_blocks", "bench_after"}
    for name in states:
        row = rows[name, 1, "time_retained"]
        assert row["verdict"] not in ("slower", "faster") and row["rounds"] == 3
    records = [json.loads(line) for line in (tmp_path / ".arrayspeed/mine.jsonl").read_text().splitlines()]
    for record in records:
        if record["function"] in states:
            # Where blocks of bench_blocks were freed before, bench_after would retain its memory in both.
            assert record["faults"] > 100 > record["retained_faults"]
        elif record["function"]:
            assert record["faults"] < 1 and record["retained"] is None
    _, printed = upgrade(STATES, "--all", rounds=3)
    assert "time, memory retained" in printed.out
    assert "a process that has freed a block of 32 MiB" in " ".join(printed.out.split())
