"""What a run chooses, without running it."""

from types import SimpleNamespace

import pytest

from arrayspeed import run
from arrayspeed.errors import UserError
from kernels import CATALOGUE


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
    return run.Combination(**(values | changes))


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
    assert run.wanted(one(), run.Selection(**selection)) is chosen


def test_what_cannot_run_is_left_out(monkeypatch):
    monkeypatch.setattr(run, "missing", lambda device: None if device == "cpu" else "none here")
    assert run.can_run(one())
    assert not run.can_run(one(device="gpu"))
    assert not run.can_run(one(kernel="fft", backend="numba", size=1000))
    largest = CATALOGUE["gradient"].largest("numpy", "numpy")
    assert run.can_run(one(kernel="gradient", backend="numpy", size=largest))
    assert not run.can_run(one(kernel="gradient", backend="numpy", size=10 * largest))
    monkeypatch.setenv("ARRAYSPEED_LARGE", "1")
    assert run.can_run(one(kernel="gradient", backend="numpy", size=10 * largest))
    assert not run.can_run(one(kernel="matmul", backend="numpy", size=10_000_000)), "memory"


@pytest.mark.parametrize(
    ("requirements", "measured"),
    [
        ({"jax": "0.9.2", "numpy": "2.4.6"}, ["jax"]),
        ({"jax[cuda13]": "0.9.2", "numpy": "2.4.6"}, ["jax"]),
        ({"numpy": "2.4.6"}, ["numpy"]),
        ({"numpy": "2", "jax": "1", "torch": "2"}, ["numpy", "jax", "torch"]),
        ({"scipy": "1", "numba": "2", "numpy": "2"}, ["numba"]),
    ],
)
def test_numpy_beside_one_library_is_its_companion(requirements, measured):
    assert list(run.subjects(SimpleNamespace(requirements=requirements))) == measured


def test_one_run_at_a_time(tmp_path):
    with run.only_run(tmp_path), pytest.raises(UserError, match="another run"), run.only_run(tmp_path):
        pass
    with run.only_run(tmp_path):
        pass


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
        run.save_atomically(tmp_path, interrupted)
    assert old.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["machine"]
