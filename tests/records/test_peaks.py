"""What a machine can do: stored, read, and what limits a kernel."""

import json
import math
import os
import subprocess

import pytest

from arrayspeed.decide.compare import Level
from arrayspeed.records import peaks
from arrayspeed.records.levels import Case
from arrayspeed.records.peaks import Peaks, Rate
from arrayspeed.report.limits import limits
from tests.conftest import ARRAYSPEED

MEMORY = [Rate("read", "float64", 2, 2**14, 400e9), Rate("triad", "float64", 1, 2**14, 200e9)]
MEMORY += [Rate("read", "float64", 2, 2**28, 40e9), Rate("triad", "float64", 2, 2**28, 35e9)]
KNOWN = Peaks((*MEMORY, Rate("fma", "float64", 1, 2**13, 60e9), Rate("fma", "float64", 2, 2**14, 120e9)), "2026-01-02")


@pytest.mark.parametrize(
    ("working_set", "rate"), [(1, 400e9), (2**14, 400e9), (2**27, 400e9), (2**28, 40e9), (2**40, 40e9)]
)
def test_memory_is_that_of_the_next_smaller_working_set(working_set, rate):
    assert KNOWN.memory(working_set).rate == rate


def test_arithmetic_is_of_the_precision():
    assert KNOWN.arithmetic("float64").cores == 2
    assert KNOWN.arithmetic("int64") is None


def test_rates_are_stored_with_the_machine_and_bad_lines_left_out(tmp_path):
    assert peaks.load(tmp_path, "one") is None
    peaks.save(tmp_path, "one", KNOWN)
    assert peaks.load(tmp_path, "one") == KNOWN
    path = tmp_path / "one" / peaks.FILE
    path.write_text(path.read_text() + '{"what": "fma"}\n[1]\nnothing\n{"rate": -1}\n' + "[" * 100_000)
    assert peaks.load(tmp_path, "one") == KNOWN
    path.write_bytes(b"\xff\xfe")
    assert peaks.load(tmp_path, "one") is None


def level(seconds):
    return Level(math.log(seconds), 1e-6, math.inf, 4)


def test_a_kernel_above_its_limit_is_named():
    # 2 · 2,000³ operations, and 24 MB for which a cache's rate is the one that is known.
    found = limits({Case("matmul", 2000, "numpy"): level(0.16), Case("add", 1_000_000, "numpy"): level(3e-5)}, KNOWN)
    of = {one["kernel"]: one for one in found["kernels"]}
    assert of["matmul"]["by"] == "arithmetic" and not of["matmul"]["beyond"]
    assert of["matmul"]["share"][0] == pytest.approx(16e9 / 120e9 / 0.16, rel=1e-3)
    assert of["add"]["by"] == "memory" and of["add"]["beyond"], "24 MB in 30 µs are 800 GB/s"


def test_without_rates_there_are_no_limits_of_the_cpu():
    found = limits({Case("matmul", 2000, "numpy"): level(0.16), Case("add", 10_000_000, "numpy"): level(4e-3)})
    assert found["kernels"] == found["peaks"] == []


@pytest.mark.commands
def test_a_machine_is_measured(empty):
    """Two working sets, that it takes seconds."""
    path = empty / "arrayspeed/measure/peaks_worker.py"
    path.write_text(path.read_text().replace("range(14, 29)", "(14, 20)"))
    env = os.environ | {"PYTHONPATH": str(empty)}
    done = subprocess.run([*ARRAYSPEED, "peaks"], cwd=empty, capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stderr
    assert "16 KiB" in done.stdout and "FLOP/s" in done.stdout
    (stored,) = (empty / "results").glob("*/peaks.jsonl")
    rows = [json.loads(line) for line in stored.read_text().splitlines()]
    assert {row["what"] for row in rows} == {"read", "write", "triad", "fma"}
    assert {row["bytes"] for row in rows if row["what"] == "read"} == {2**14, 2**20}
    assert all(row["rate"] > 1e8 for row in rows)
