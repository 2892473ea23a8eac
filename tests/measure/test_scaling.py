"""Sides that differ by how many cores they may use: where their processes run, what is kept, and what is made of it."""

import json
import os
from types import SimpleNamespace

import pytest

from arrayspeed.cli import scaling as command
from arrayspeed.cli.main import main
from arrayspeed.cli.options import cores as option
from arrayspeed.measure import blocks
from arrayspeed.measure.players import Samples
from arrayspeed.measure.speedups import speedups
from arrayspeed.model.combination import Combination
from arrayspeed.records import scaling
from arrayspeed.records.processes import Process
from support import schema
from tests.conftest import command_here

ONE = Combination(
    "env", "linalg.matmul_float64.time_call", 0, "linalg", "matmul", "float64", "time_call", "numpy", 100, "cpu"
)


def session(folder):
    return SimpleNamespace(
        config=SimpleNamespace(results_dir=str(folder)), machine={"machine": "m"}, commit="c" * 40, unclean=False
    )


def played(number, seconds, **more):
    return Process(ONE, seconds, block="b", round=number, batches=[seconds, None, seconds], **more)


def test_what_is_kept_is_read_again(tmp_path):
    added = scaling.add(session(tmp_path), [(1, played(0, 0.2)), (2, played(0, 0.1))])
    with (tmp_path / "m" / scaling.FILE).open("a") as file:
        file.write('{"kernel": "matmul"}\n{"cut')
    assert list(scaling.load(tmp_path, "m")) == added
    assert [one.cores for one in added] == [1, 2] and added[0].batches == (0.2, None, 0.2)
    assert list(scaling.load(tmp_path, "none")) == []


@pytest.mark.parametrize(
    "wrong", [{"cores": "2"}, {"cores": -1}, {"batches": ["x"]}, {"batches": None}, {"kernel": 3}, {"round": True}]
)
def test_lines_that_are_none_are_left_out(tmp_path, wrong):
    scaling.add(session(tmp_path), [(1, played(0, 0.2))])
    path = tmp_path / "m" / scaling.FILE
    path.write_text(json.dumps(json.loads(path.read_text()) | wrong) + "\n")
    assert list(scaling.load(tmp_path, "m")) == []


def test_speedups_and_their_intervals(tmp_path):
    for number in range(8):
        noise = 1 + 0.002 * (number % 3)
        scaling.add(session(tmp_path), [(1, played(number, 0.2)), (2, played(number, 0.1 * noise))])
    ((case, (one, two)),) = speedups(scaling.load(tmp_path, "m")).items()
    assert case == scaling.Case("env", "matmul", "float64", "numpy", 100, "cpu")
    assert (one.cores, one.times, one.decision) == (1, None, None)
    assert two.decision.verdict == "faster"
    times, low, high = two.times
    assert low < times < high and 1.98 < times < 2.01
    assert one.seconds == pytest.approx(0.2)


def test_what_was_measured_last_counts(tmp_path):
    old = [(number, Process(ONE, 0.9, block="a", round=number, batches=[0.9])) for number in (1, 2)]
    scaling.add(session(tmp_path), [(cores, process) for cores, process in old])
    path = tmp_path / "m" / scaling.FILE
    path.write_text(path.read_text().replace('"date": "', '"date": "1'))
    scaling.add(session(tmp_path), [(1, played(0, 0.2)), (2, played(0, 0.1))])
    ((_, ones),) = speedups(scaling.load(tmp_path, "m")).items()
    assert [one.seconds for one in ones] == [pytest.approx(0.2), pytest.approx(0.1)]


def test_a_side_that_fails(tmp_path):
    for number in range(4):
        failed = Process(ONE, None, block="b", round=number, why="it broke")
        scaling.add(session(tmp_path), [(1, played(number, 0.2)), (2, failed)])
    ((_, (_, two)),) = speedups(scaling.load(tmp_path, "m")).items()
    assert (two.seconds, two.why, two.times) == (None, "it broke", None)
    assert two.decision.verdict == "fails"


def test_nothing_is_nothing():
    assert speedups([]) == {}


@pytest.mark.parametrize(("most", "numbers"), [(1, [1]), (2, [1, 2]), (6, [1, 2, 4, 6]), (8, [1, 2, 4, 8])])
def test_numbers_of_cores(most, numbers):
    assert command.every_number(most) == numbers


@pytest.mark.environment
def test_each_side_runs_on_its_cores(of_numpy, config, tmp_path, monkeypatch, capsys):
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("one core has no others")
    from asv.environment import get_environments

    every = [env.name for env in get_environments(config, None)]
    alone = [env.name for env in get_environments(config, None) if env.requirements.keys() == {"numpy"}]
    name = next(each for each in alone if sum(each in other for other in every) == 1)
    seen = []

    def interleave(players, turns, rng):
        seen.append({player.name: (os.sched_getaffinity(player.pid), player.cores) for player in players})
        for player in players:
            player.end()
        return {player.name: Samples([0.1, 0.1], number=3) for player in players}

    monkeypatch.setattr(blocks, "interleave", interleave)
    monkeypatch.setattr(config, "results_dir", str(tmp_path))
    monkeypatch.setattr(command, "load_config", lambda: config)
    chosen = ["--environment", name, "--kernel", "matmul", "--size", "small", "--rounds", "2", "--cores", "1,2"]
    for _ in range(2):  # the second goes on where the first ended, which is the end
        with pytest.raises(SystemExit) as ended:
            main(["scaling", *chosen, "--format", "json"])
        assert ended.value.code == 0
        (row,) = schema.read("scaling", capsys.readouterr().out)["scaling"]
        assert [one["cores"] for one in row["cores"]] == [1, 2]
    first, second, *_ = sorted(os.sched_getaffinity(0))
    assert seen == [{"1 core": ({first}, [first]), "2 cores": ({first, second}, [first, second])}] * 2
    (path,) = tmp_path.glob("*/scaling.jsonl")
    assert len(path.read_text().splitlines()) == 4


WORK = """
import os
def bench_cores():
    return float(len(os.sched_getaffinity(0)))
"""


@pytest.mark.environment
def test_a_comparison_is_made_on_each_number_of_cores(tmp_path, few_turns, capsys):
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("one core has no others")
    (tmp_path / "mine.py").write_text(WORK)
    before = os.sched_getaffinity(0)
    page = tmp_path / "page.html"
    sides = ["--file", str(tmp_path / "mine.py"), "--old-env", "A=1", "--new-env", "A=2", "--rounds", "2"]
    with pytest.raises(SystemExit) as ended:
        main(["upgrade", *sides, "--cores", "1,2", "--format", "json", "--html", str(page)])
    data = schema.read("runs", capsys.readouterr().out)
    assert [one["cores"] for one in data["runs"]] == [1, 2]
    assert [one["result"]["machine"].split("-")[-1] for one in data["runs"]] == ["1cpu", "2cpu"]
    assert ended.value.code == data["exit_status"]
    assert sorted(path.name for path in tmp_path.glob("*.html")) == ["page-1.html", "page-2.html"]
    assert os.sched_getaffinity(0) == before
    done = command_here("upgrade", *sides, "--cores", "1,2", cwd=tmp_path, status=data["exit_status"])
    assert done.stdout.index("1 core\n") < done.stdout.index("2 cores\n")


@pytest.mark.parametrize("text", ["1,1", "x", "1,", ""])
def test_numbers_that_are_none(text, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["upgrade", "numpy", "1", "2", "--cores", text])
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith("arrayspeed: --cores")


def test_too_many_cores(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["scaling", "--cores", "1,100000"])
    assert ended.value.code == 2
    assert "--cores 100000 is not valid: from 1 to" in capsys.readouterr().err


def test_the_worst_status_counts(monkeypatch):
    statuses = iter([2, 1, 0])
    monkeypatch.setattr(option, "check_cores", lambda wanted: None)
    monkeypatch.setattr(option, "use_cores", lambda number: None)
    args = SimpleNamespace(cores=[1, 2, 3], format="table")
    assert option.on_each(args, lambda _: next(statuses)) == 1
    statuses = iter([0, 2, 0])
    assert option.on_each(args, lambda _: next(statuses)) == 2
