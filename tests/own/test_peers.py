"""Another suite's programs beside ours, from something that looks like a checkout of it."""

import json
import os
import sys

import pytest

from arrayspeed.cli.main import main
from tests.conftest import ROOT, command_here

BACKENDS = """
from contextlib import nullcontext
__backends__ = {"numpy": lambda device: nullcontext()}
"""

#: Computes as ours does, and waits as long again.
EQUATION = """
import os, sys
from time import perf_counter
sys.path.append(os.environ["ARRAYSPEED_PEER_ROOT"])

def get_callable(backend, size, device):
    from kernels.preparation import load
    call = load("equation_of_state", backend, 4_096, peer=True).call

    def slow():
        start = perf_counter()
        result = call()
        end = 2 * perf_counter() - start
        while perf_counter() < end:
            pass
        return result

    return slow
"""


@pytest.fixture
def checkout(tmp_path):
    folder = tmp_path / "pyhpc"
    (folder / "benchmarks/equation_of_state").mkdir(parents=True)
    (folder / "benchmarks/__init__.py").touch()
    (folder / "benchmarks/equation_of_state/__init__.py").write_text(EQUATION)
    (folder / "backends.py").write_text(BACKENDS)
    return folder


def test_what_was_measured_of_other_code_is_not_kept(checkout, monkeypatch):
    found = []
    monkeypatch.setattr("arrayspeed.cli.peers.interpreter", lambda names: sys.executable)
    monkeypatch.setattr("arrayspeed.cli.peers.run", lambda script, sides, args: found.append(sides) or 0)
    monkeypatch.setattr("os.sched_setaffinity", lambda process, cores: None)

    def sides():
        with pytest.raises(SystemExit):
            main(["peers", "pyhpc", "--path", str(checkout)])
        return found[-1]

    before = sides()
    (checkout / "README.md").write_text("no code")
    assert sides() == before
    program = checkout / "benchmarks/equation_of_state/__init__.py"
    program.write_text(program.read_text().replace("2 * perf_counter()", "3 * perf_counter()"))
    theirs, ours = sides()
    assert theirs != before[0] and ours == before[1]
    (checkout / "backends.py").rename(checkout / "other.py")
    assert sides()[0] not in (theirs, before[0])


@pytest.mark.clock
def test_a_peer_that_waits_is_slower_than_ours(newest, checkout, monkeypatch, tmp_path):
    # Of 4,096 cells on both sides: the peer's own sizes take long.
    script = ROOT / "arrayspeed/own/peers/pyhpc.py"
    small = checkout.parent / "peers"
    small.mkdir()
    (small / "pyhpc.py").write_text(script.read_text().replace("sizes = (65_536, 1_048_576)", "sizes = (4_096,)"))
    monkeypatch.setattr("arrayspeed.own.peers.__path__", [str(small)])
    monkeypatch.chdir(ROOT)
    before = os.sched_getaffinity(0)
    found = tmp_path / "found.json"
    try:
        with pytest.raises(SystemExit) as ended, found.open("w") as file:
            monkeypatch.setattr(sys, "stdout", file)
            options = ["--path", str(checkout), "-k", "equation_of_state_numpy$", "--rounds", "6", "--format", "json"]
            main(["peers", "pyhpc", *options, "--results", str(tmp_path / "results")])
        assert len(os.sched_getaffinity(0)) == 1
    finally:
        os.sched_setaffinity(0, before)
    rows = {row["measure"]: row for row in json.loads(found.read_text())["comparisons"]}
    assert rows["time_call"]["verdict"] == "faster"
    assert 0.4 < rows["time_call"]["ratio"] < 0.7
    assert rows["result"]["verdict"] == "same"
    assert ended.value.code in (0, 1, 2)


#: Softmax as npbench has it, of few scores, that computes all of it three times.
SOFTMAX = """
import numpy as np

def softmax(x):
    for _ in range(3):
        powers = np.exp(x - x.max(axis=-1, keepdims=True))
        found = powers / powers.sum(axis=-1, keepdims=True)
    return found
"""

INPUTS = """
import numpy as np

def initialize(N, H, SM):
    return np.random.default_rng(42).random((N, H, SM, SM), dtype=np.float32)
"""


@pytest.mark.rest
@pytest.mark.clock
def test_another_peers_program_is_beside_ours_on_its_inputs(newest, monkeypatch, tmp_path):
    folder = tmp_path / "npbench"
    place = folder / "npbench/benchmarks/deep_learning/softmax"
    place.mkdir(parents=True)
    (folder / "bench_info").mkdir()
    (folder / "bench_info/gramschmidt.json").write_text("{}")
    init = {"func_name": "initialize", "input_args": ["N", "H", "SM"]}
    preset = {"S": {"N": 4, "H": 4, "SM": 64}, "M": {"N": 1, "H": 1, "SM": 16}}
    about = {"benchmark": {"init": init, "parameters": preset}}
    (folder / "bench_info/softmax.json").write_text(json.dumps(about))
    (place / "softmax.py").write_text(INPUTS)
    (place / "softmax_numpy.py").write_text(SOFTMAX)
    monkeypatch.chdir(ROOT)
    before = os.sched_getaffinity(0)
    found = tmp_path / "found.json"
    try:
        with pytest.raises(SystemExit), found.open("w") as file:
            monkeypatch.setattr(sys, "stdout", file)
            options = ["--path", str(folder), "-k", "softmax_numpy$", "--size", "1", "--rounds", "4"]
            main(["peers", "npbench", *options, "--format", "json", "--results", str(tmp_path / "results")])
    finally:
        os.sched_setaffinity(0, before)
    rows = {row["measure"]: row for row in json.loads(found.read_text())["comparisons"]}
    assert rows["result"]["verdict"] == "same"
    assert rows["time_call"]["ratio"] < 0.8


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["pyhpc", "--path", "nowhere"], "nowhere is no checkout of pyhpc"),
        (["pyhpc", "--path", "{checkout}", "--cores", "0"], "--cores 0 is not valid"),
        (["pyhpc", "--path", "{checkout}", "--environment", "venv"], "environments have such a name"),
        (["npbench", "--path", "{checkout}"], "is no checkout of npbench: it has no bench_info/gramschmidt.json"),
        (["pyhpc"], "the following arguments are required: --path"),
        (["other", "--path", "."], "invalid choice: 'other'"),
    ],
)
def test_mistakes_take_one_line(checkout, arguments, said):
    done = command_here("peers", *(part.format(checkout=checkout) for part in arguments), cwd=ROOT, status=2)
    assert said in done.stderr
    assert "Traceback" not in done.stderr
