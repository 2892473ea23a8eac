"""One real run of asv, from a clone of the repository through the published site, and what its results hold."""

import json
from pathlib import Path
from statistics import geometric_mean

import pytest

from arrayspeed.records import results
from kernels import BACKENDS
from support.browser import served
from tests.conftest import ARRAYSPEED, ASV, command

ON_CPU = sum("cpu" in backend.devices for backend in BACKENDS.values())


@pytest.fixture(scope="session")
def measured(clone, newest):
    """The clone after plain `asv run` of one kernel at one small size: times of all backends and devices."""
    add = r"elementwise\.add_float64\."
    only = ("--environment", newest.name, "--record-samples", "--show-stderr", "--attribute", "rounds=1")
    patterns = (
        "--bench",
        add + r"time_call\(.*, 1000, ",
        "--bench",
        add + r"(track_error|peakmem_call)\('(numpy|jax)', 1000, ",
    )
    done = command(*ASV, "run", *only, *patterns, cwd=clone)
    return clone, done.stdout + done.stderr


def rows(clone, **filters):
    return results.load(clone / "results").filter(**filters)


def test_every_backend_has_a_number(measured):
    clone, _ = measured
    times = rows(clone, measure="time_call", size=1000, device="cpu")
    assert times["value"].is_not_null().sum() == ON_CPU
    assert times["value"].is_between(1e-8, 1e-1).all()


def test_calls_are_batched(measured):
    """A setup hook makes asv_runner time single calls, unless it is told otherwise: benchmarks/common.py."""
    clone, _ = measured
    numbers = rows(clone, measure="time_call", size=1000, device="cpu")["number"]
    assert (numbers > 10).all(), numbers.to_list()


def test_devices_that_are_missing_are_not_available_and_say_why(measured):
    clone, output = measured
    if not Path("/dev/nvidia0").exists():
        assert "this machine has no GPU" in output
        assert rows(clone, device="gpu").is_empty()
    assert "NotAvailable" in output
    assert "Traceback" not in output


def test_error_and_memory_are_plausible(measured):
    clone, _ = measured
    errors = rows(clone, measure="track_error", size=1000, device="cpu")
    assert sorted(errors["backend"]) == ["jax", "numpy"]
    assert errors["value"].is_between(0, 1e-12).all()
    peaks = rows(clone, measure="peakmem_call", size=1000, device="cpu")
    assert peaks["value"].is_between(10e6, 10e9).all()


def test_results_name_the_machine_and_its_packages(measured):
    clone, _ = measured
    (machine,) = (path for path in (clone / "results").iterdir() if path.is_dir())
    assert json.loads((machine / "machine.json").read_text())["machine"] == machine.name
    (packages,) = machine.glob("*.packages.txt")
    assert "asv_runner==0.3.2" in packages.read_text()


def test_asv_shows_and_publishes(measured):
    clone, _ = measured
    assert "add_float64" in command(*ASV, "show", "HEAD", cwd=clone).stdout
    command(*ASV, "publish", cwd=clone)
    index = json.loads((clone / "html/index.json").read_text())
    parameters = index["benchmarks"]["elementwise.add_float64.time_call"]["params"]
    # One graph overlays all backends, with the size as x-axis.
    assert len(parameters[0]) == len(BACKENDS)
    assert "1000" in parameters[1]


def test_asv_s_own_pages_work_without_a_network(measured, open_page):
    clone, _ = measured
    published = command(*ASV, "publish", cwd=clone)
    if "take scripts from the network" in published.stderr:
        pytest.skip(f"asv's own pages were NOT tested: {published.stderr.strip()}")
    with served(clone / "html") as address, open_page() as page:
        page.goto(address + "index.html")
        page.wait_for_selector("#summarygrid-display img, #summarygrid-display a", timeout=30_000)
        page.goto(address + "index.html#elementwise.add_float64.time_call")
        page.wait_for_selector("#main-graph canvas", timeout=30_000)
        page.click("text=Report")
        page.wait_for_selector("body[data-ready] table.heat", timeout=30_000)


def test_summary_prints_the_results(measured):
    clone, _ = measured
    text = command(*ARRAYSPEED, "summary", "--all-sizes", cwd=clone).stdout
    assert "add" in text
    assert "tensorflow-xla" in text
    assert "1,000" in text


def test_run_leaves_out_what_is_finished_and_merges_the_rest(measured):
    clone, _ = measured
    common = ("--kernel", "add", "--size", "1000", "--dtype", "float64", "--measure", "time_call")
    only = ("--environment", "tensorflow", "--backend", "numpy")
    before = rows(clone, measure="time_call", size=1000, backend="numpy")["value"].to_list()
    done = command(*ARRAYSPEED, "run", *common, *only, cwd=clone)
    assert "1 of 1 are finished" in done.stdout
    assert rows(clone, measure="time_call", size=1000, backend="numpy")["value"].to_list() == before
    smaller = [
        *ARRAYSPEED,
        "run",
        *only,
        "--kernel",
        "add",
        "--size",
        "10",
        "--dtype",
        "float64",
        "--measure",
        "time_call",
    ]
    command(*smaller, cwd=clone)
    assert rows(clone, measure="time_call", size=10, backend="numpy")["value"].len() == 1
    assert rows(clone, measure="time_call", size=1000)["value"].len() == ON_CPU, "what was there is kept"
    repeats = rows(clone, measure="time_call", size=10, backend="numpy")["repeat"][0]
    command(*smaller, "--append", cwd=clone)
    assert rows(clone, measure="time_call", size=10, backend="numpy")["repeat"][0] > repeats


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["run", "--library", "jaxx"], "Did you mean 'jax'"),
        (["run", "--kernel", "matmull"], "Did you mean 'matmul'"),
        (["run", "--size", "-1"], "whole number"),
        (["run", "--bench", "("], "regular expression"),
        (["run", "--rounds", "0"], "1 or more"),
        (["run", "--selection", "articles", "--kernel", "add"], "no other filter"),
        (["run", "--library", "jax", "--version", "0.0.1"], "asv.conf.json"),
        (["run", "--kernel", "fft", "--backend", "numba", "--environment", "tensorflow"], "nothing that can run"),
        (["summary", "--machine", "nowhere"], "no results of machine 'nowhere'"),
        (["summary", "--device", "fpga"], "cpu, gpu, tpu"),
        (["summary", "--device", "tpu"], "no times"),
        (["bench", "--rounds", "0"], "1 or more"),
    ],
)
def test_mistakes_get_one_line_and_status_2(measured, arguments, says):
    clone, _ = measured
    done = command(*ARRAYSPEED, *arguments, cwd=clone, status=2)
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1, done.stderr
    assert says in lines[0]


def test_outside_a_clone_says_so(tmp_path):
    done = command(*ARRAYSPEED, "summary", cwd=tmp_path, status=2)
    assert "asv.conf.json" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.clock
@pytest.mark.commands
def test_a_round_trip_takes_longer_and_a_queue_of_calls_no_longer_than_a_call(clone, newest):
    """On a real run, of small and large arrays. The margins are for changes of the machine's speed: what is compared
    was measured minutes apart.
    """
    only = [
        "--environment",
        newest.name,
        "--dtype",
        "float64",
        "--kernel",
        "add",
        "--kernel",
        "matmul",
        "--size",
        "1000",
    ]
    backends = ["--backend", "numpy", "--backend", "jax-jit", "--backend", "torch"]
    measures = ["--measure", "time_call", "--measure", "time_round_trip", "--measure", "time_pipelined"]
    command(*ARRAYSPEED, "run", *only, *backends, *measures, cwd=clone)
    found = {
        (row["kernel"], row["backend"], row["measure"]): row["value"]
        for row in rows(clone, size=1000, device="cpu", dtype="float64").iter_rows(named=True)
    }
    cases = [(kernel, backend) for kernel in ("add", "matmul") for backend in ("numpy", "jax-jit", "torch")]
    trips = [found[*case, "time_round_trip"] / found[*case, "time_call"] for case in cases]
    queues = [found[*case, "time_pipelined"] / found[*case, "time_call"] for case in cases]
    assert min(trips) > 1 / 5, dict(zip(cases, trips, strict=True))
    assert geometric_mean(trips) > 1 / 2, dict(zip(cases, trips, strict=True))
    assert max(queues) < 5, dict(zip(cases, queues, strict=True))
    assert geometric_mean(queues) < 2, dict(zip(cases, queues, strict=True))
