"""What a run chooses, without running it."""

import copy
import os
import subprocess
import sys
import threading
import time
from collections import Counter
from types import SimpleNamespace

import pytest
from asv.environment import get_environments

from arrayspeed.cli.run import MEASURES
from arrayspeed.measure import asv_processes, plan, selections, session
from arrayspeed.measure.host import only_run
from arrayspeed.measure.tiers import kernels_of
from arrayspeed.model.combination import Combination, parse_name
from arrayspeed.model.errors import UserError
from arrayspeed.model.libraries import compares_python, held, subjects
from kernels import BACKENDS, CATALOGUE
from kernels.catalogue import in_tier
from tests.conftest import ROOT


def one(**changes):
    values = {
        "environment": "venv",
        "benchmark": "linalg.matmul_float64.time_call",
        "index": 0,
        "family": "linalg",
        "kernel": "matmul",
        "dtype": "float64",
        "measure": "time_call",
        "backend": "jax-jit",
        "size": 2000,
        "device": "cpu",
    }
    return plan.Combination(**(values | changes))


@pytest.mark.parametrize(
    ("selection", "chosen"),
    [
        ({}, True),
        ({"libraries": ["jax"]}, True),
        ({"libraries": ["torch"]}, False),
        ({"sizes": ["large"]}, True),
        ({"sizes": ["small"]}, False),
        ({"sizes": ["small", "2000"]}, True),
        ({"patterns": ["matmul.*jax-jit"]}, True),
        ({"patterns": ["matmul.*'jax'"]}, False),
        ({"devices": ["gpu"]}, False),
        ({"dtypes": ["float32"]}, False),
        ({"measures": ["time_call"], "backends": ["jax-jit"], "kernels": ["matmul"]}, True),
    ],
)
def test_selection(selection, chosen):
    assert plan.wanted(one(), plan.Selection(**selection)) is chosen


@pytest.mark.parametrize(
    ("requirements", "selection", "worth"),
    [
        ({"numpy": "2.4.6", "jax": "0.10.2"}, {}, True),
        ({"numpy": "2.4.6"}, {"backends": ["jax"]}, False),
        ({"numpy": "2.4.6", "jax": "0.10.2"}, {"backends": ["jax"], "kernels": ["matmul"]}, True),
        ({"numba": "0.68.1", "numpy": "2.4.6"}, {"backends": ["numba"], "kernels": ["fft"]}, False),
        ({"cupy": "14.2.0", "numpy": "2.4.6"}, {"backends": ["cupy"], "kernels": ["add"]}, False),
        ({"jax": "0.10.2"}, {"devices": ["gpu"]}, False),
        ({"jax": "0.10.2"}, {"measures": ["timeraw_import"]}, True),
        ({"jax": "0.10.2"}, {"measures": ["timeraw_import"], "kernels": ["add"]}, False),
        ({"jax": "0.10.2"}, {"sizes": ["7"], "kernels": ["add"]}, False),
        ({"jax": "0.10.2"}, {"patterns": ["elementwise.add_float32.time_call.*1000000, 'cpu'"]}, True),
        ({"jax": "0.10.2"}, {"libraries": ["torch"]}, False),
    ],
)
def test_what_an_environment_is_needed_for_is_known_before_it_is_made(monkeypatch, requirements, selection, worth):
    monkeypatch.setattr(plan, "missing", lambda device: None if device == "cpu" else "none here")
    env = SimpleNamespace(name="venv", requirements=requirements, env_vars={})
    assert plan.worth_making(env, [plan.Selection(**selection)]) is worth


@pytest.mark.seconds
def test_nothing_is_made_where_nothing_can_run(tmp_path):
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
    env = os.environ | {"PYTHONPATH": str(clone), "CUDA_VISIBLE_DEVICES": ""}
    for arguments, says in (
        (["run", "--backend", "cupy", "--kernel", "add", "--device", "cpu"], "nothing that can run here is selected"),
        (["upgrade", "jax", "0.9.2", "0.10.2", "--bench", "fft.*numba"], "nothing that can run here is selected"),
    ):
        command = [sys.executable, "-m", "arrayspeed", *arguments]
        done = subprocess.run(command, cwd=clone, env=env, capture_output=True, text=True)
        assert done.returncode == 2, done.stderr
        assert done.stderr.splitlines()[-1].startswith(f"arrayspeed: {says}")
        assert not (clone / ".asv").exists()


def test_what_cannot_run_is_left_out(monkeypatch):
    monkeypatch.setattr(plan, "missing", lambda device: None if device == "cpu" else "none here")
    assert plan.can_run(one())
    assert not plan.can_run(one(device="gpu"))
    assert not plan.can_run(one(kernel="fft", backend="numba", size=1000))
    largest = CATALOGUE["gradient"].largest("numpy", "numpy")
    assert plan.can_run(one(kernel="gradient", backend="numpy", size=largest))
    assert not plan.can_run(one(kernel="gradient", backend="numpy", size=10 * largest))
    monkeypatch.setenv("ARRAYSPEED_LARGE", "1")
    assert plan.can_run(one(kernel="gradient", backend="numpy", size=10 * largest))
    assert not plan.can_run(one(kernel="matmul", backend="numpy", size=10_000_000)), "memory"


@pytest.mark.parametrize(
    ("requirements", "measured"),
    [
        ({"jax": "0.9.2", "numpy": "2.4.6"}, ["jax"]),
        ({"jax[cuda13]": "0.9.2", "numpy": "2.4.6"}, ["jax"]),
        ({"cupy-cuda12x": "14.0.1", "numpy": "2.4.6"}, ["cupy"]),
        ({"numpy": "2.4.6"}, ["numpy"]),
        ({"numpy": "2", "jax": "1", "torch": "2"}, ["numpy", "jax", "torch"]),
        ({"scipy": "1", "numba": "2", "numpy": "2"}, ["numba"]),
    ],
)
def test_numpy_beside_one_library_is_its_companion(requirements, measured):
    assert list(subjects(requirements)) == measured


def test_a_library_with_one_release_has_nothing_to_be_compared_with(config):
    names = session.of_one_library(config)
    of = [held(env) for env in get_environments(config, None) if env.name in names and not compares_python(env.name)]
    assert all(len(one) == 1 for one in of)
    assert min(Counter(library for one in of for library in one).values()) >= 2
    assert sum(map(compares_python, names)) >= 2
    few = copy.copy(config)
    few.include = [entry for entry in config.include if entry["req"].get("mlx", "0.32.4") == "0.32.4"]
    assert not any("mlx" in name for name in session.of_one_library(few))


def test_versions_of_a_library_are_measured_one_after_the_other():
    requirements = {"jax1": {"jax": "1", "numpy": "2"}, "numba": {"numba": "1"}, "jax2": {"jax": "2", "numpy": "2"}}
    session = SimpleNamespace(
        environments={name: SimpleNamespace(requirements=each, env_vars={}) for name, each in requirements.items()},
        benchmarks={"first": {}, "second": {}},
    )
    ones = [
        one(environment=name, benchmark=benchmark, size=size)
        for name in requirements
        for benchmark in ("second", "first")
        for size in (1000, 10)
    ]
    found = [(one.environment, one.benchmark, one.size) for one in plan.side_by_side(session, ones)]
    jax = [(name, b, size) for b in ("first", "second") for size in (10, 1000) for name in ("jax1", "jax2")]
    assert found == jax + [("numba", b, size) for b in ("first", "second") for size in (10, 1000)]


def test_a_tier_and_named_kernels():
    assert kernels_of(None, []) == in_tier("core")
    assert kernels_of(None, [], narrowed=True) == list(CATALOGUE)
    assert kernels_of("full", []) == list(CATALOGUE)
    assert kernels_of(None, ["multiply"]) == ["multiply"], "a kernel that is named may be of any tier"
    assert kernels_of("bench", ["add", "multiply"]) == ["add"]
    with pytest.raises(UserError, match="does not hold multiply"):  # an empty list would select everything
        kernels_of("bench", ["multiply"])


def test_one_run_at_a_time_on_a_host(tmp_path):
    with only_run(tmp_path / "a"), pytest.raises(UserError, match=f"process {os.getpid()}"), only_run(tmp_path / "b"):
        pass
    with only_run(tmp_path / "b"):
        pass


def test_one_run_at_a_time_in_a_folder(tmp_path, monkeypatch):
    """Two hosts may share a folder."""
    with only_run(tmp_path):
        monkeypatch.setenv("ARRAYSPEED_LOCK", str(tmp_path / "other"))
        with pytest.raises(UserError, match="writing"), only_run(tmp_path):
            pass


def test_a_run_waits_for_another(tmp_path, capsys):
    first = only_run(tmp_path / "a")
    first.__enter__()
    done = []

    def second():
        with only_run(tmp_path / "b", wait=True):
            done.append(time.monotonic())

    thread = threading.Thread(target=second)
    thread.start()
    time.sleep(0.3)
    assert done == []
    first.__exit__(None, None, None)
    thread.join(10)
    assert len(done) == 1
    assert "waiting for another run that is measuring on this machine" in capsys.readouterr().err


def test_a_lock_that_cannot_be_made_is_one_line(tmp_path, monkeypatch):
    monkeypatch.setenv("ARRAYSPEED_LOCK", str(tmp_path / "no such folder" / "lock"))
    with pytest.raises(UserError, match="ARRAYSPEED_LOCK"), only_run(tmp_path):
        pass


def test_what_a_killed_run_left_half_written_is_removed(tmp_path):
    (tmp_path / ".saving-1" / "machine").mkdir(parents=True)
    (tmp_path / "machine").mkdir()
    (tmp_path / "machine" / ".saving-2").write_text("half")
    with only_run(tmp_path):
        assert sorted(path.name for path in tmp_path.iterdir()) == [".lock", "machine"]
        assert list((tmp_path / "machine").iterdir()) == []


def test_a_kill_while_saving_leaves_the_old_file(tmp_path):
    (tmp_path / "machine").mkdir()
    old = tmp_path / "machine" / "result.json"
    old.write_text("old")

    def interrupted(folder):
        from pathlib import Path

        (Path(folder) / "machine").mkdir()
        (Path(folder) / "machine" / "result.json").write_text("ne")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        session.save_atomically(tmp_path, interrupted)
    assert old.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["machine"]


@pytest.mark.parametrize("name", selections.NAMED)
def test_a_tier_narrows_a_named_selection(name):
    every, narrowed = selections.NAMED[name], selections.in_tier_only(selections.NAMED[name], "bench")
    tier = in_tier("bench")
    assert all(set(part.kernels) <= set(tier) and part.kernels for part in narrowed if part != selections.IMPORTS)
    assert (selections.IMPORTS in narrowed) == (selections.IMPORTS in every)
    held = {kernel for part in every for kernel in part.kernels or CATALOGUE}
    assert {kernel for part in narrowed for kernel in part.kernels} == held & set(tier)


@pytest.mark.parametrize("name", selections.NAMED)
def test_named_selections_name_what_there_is(name):
    for part in selections.NAMED[name]:
        assert set(part.kernels) <= set(CATALOGUE)
        assert set(part.backends) <= set(BACKENDS)
        assert set(part.measures) <= set(MEASURES)
        assert part.measures


#: What only a device with a clock or a memory of its own has.
ON_DEVICES = ("track_device_time", "track_to_device", "track_from_device")


def test_the_articles_selection_has_every_kernel_backend_and_measure():
    chosen = {
        (kernel.name, backend.name, measure)
        for part in selections.ARTICLES
        for measure in part.measures
        for kernel in CATALOGUE.values()
        for backend in BACKENDS.values()
        if kernel.why_not(backend.name, backend.library) is None
        and kernel.name in (part.kernels or CATALOGUE)
        and backend.name in (part.backends or BACKENDS)
    }
    every = {
        (kernel.name, backend.name, measure)
        for kernel in CATALOGUE.values()
        for backend in BACKENDS.values()
        if kernel.why_not(backend.name, backend.library) is None
        for measure in MEASURES
        if "cpu" in backend.devices and measure not in ON_DEVICES
    }
    assert {one for one in chosen if one[1] != "cupy"} == every


def test_what_a_later_part_adds_to_a_chunk_waits_for_its_turn():
    first = [one(backend="numpy"), one(backend="jax"), one(backend="numpy", size=100)]
    later = [one(backend="numba")]
    assert asv_processes.in_chunks([*first, *later]) == [first[:2], first[2:], later]


@pytest.mark.parametrize(
    ("pattern", "chosen"),
    [
        (r"add_float64\.time_call", True),
        (r"time_call\('jax', 10, 'cpu'\)", True),
        (r"time_call\(jax, 10, cpu\)", True),
        (r"time_call\(jax-jit", False),
        (r"^add", False),
    ],
)
def test_a_pattern_is_of_a_name_as_asv_or_as_our_tables_write_it(pattern, chosen):
    name = "elementwise.add_float64.time_call"
    chosen_from = Combination("venv", name, 0, **parse_name(name), backend="jax", size=10, device="cpu")
    assert plan.wanted(chosen_from, plan.Selection(patterns=[pattern])) is chosen
