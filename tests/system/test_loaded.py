"""Which BLAS and OpenMP processes have loaded, and what is said where the sides of a comparison differ in it."""

import json
import sys
import types
from types import SimpleNamespace

import numpy as np
import pytest
import threadpoolctl

from arrayspeed.measure.loaded import of_environment
from arrayspeed.own import loaded as own
from arrayspeed.records import loaded
from arrayspeed.system import pools
from arrayspeed.verdict.loaded import note
from tests.conftest import made

FINDER = threadpoolctl.__file__


def one(owner="numpy", version="0.3.30", threads=2, kind="openblas", api="blas", file="lib.so"):
    return {"owner": owner, "api": api, "kind": kind, "version": version, "threads": threads, "file": file}


def test_this_process():
    np.ones((2, 2)) @ np.ones((2, 2))
    found = pools.pools(FINDER)
    mine = [row for row in found if (row["owner"], row["api"]) == ("numpy", "blas")]
    assert len(mine) == 1
    assert mine[0]["threads"] >= 1
    assert mine[0]["version"]
    assert "_arrayspeed_threadpoolctl" not in sys.modules


def test_what_cannot_be_told_is_none(tmp_path):
    assert pools.pools(str(tmp_path / "none.py")) is None
    (tmp_path / "broken.py").write_text("this is no Python")
    assert pools.pools(str(tmp_path / "broken.py")) is None


@pytest.mark.parametrize(
    ("path", "owner"),
    [
        ("/env/lib/python3.12/site-packages/numpy.libs/libscipy_openblas64_-ff.so", "numpy"),
        ("/env/lib/python3.12/site-packages/torch/lib/libgomp.so.1", "torch"),
        ("/usr/lib/python3/dist-packages/scipy/x.so", "scipy"),
        ("/usr/lib/x86_64-linux-gnu/libopenblas.so.0", "system"),
        ("C:\\env\\Lib\\site-packages\\numpy.libs\\libopenblas.dll", "numpy"),
    ],
)
def test_owners(path, owner):
    assert pools.owner(path) == owner


#: What PyTorch's wheels say of themselves, on x86 and on Arm.
SHOWN = """PyTorch built with:
  - GCC 13.3
  - C++ Version: 201703
  - Intel(R) oneAPI Math Kernel Library Version 2024.2-Product Build 20240605 for Intel(R) 64 architecture applications
  - Intel(R) MKL-DNN v3.7.1 (Git Hash 8d263e693366ef8db40acc569cc7d8edf644556d)
  - OpenMP 201511 (a.k.a. OpenMP 4.5)
"""


def test_what_is_linked_into_pytorch(monkeypatch):
    torch = types.ModuleType("torch")
    torch.__config__ = SimpleNamespace(show=lambda: SHOWN)
    torch.get_num_threads = lambda: 3
    monkeypatch.setitem(sys.modules, "torch", torch)
    assert pools.linked() == [one("torch", "2024.2", 3, "mkl", file=""), one("torch", "3.7.1", 3, "onednn", file="")]
    torch.__config__ = SimpleNamespace(show=lambda: "PyTorch built with:\n  - GCC 13.3\n")
    assert pools.linked() == []
    monkeypatch.delitem(sys.modules, "torch")
    assert pools.linked() == []


def test_what_differs_is_named_and_what_does_not_too():
    rest = [one("scipy", "0.3.29"), one("torch", "2024.2", kind="mkl"), one("torch", None, 2, "libgomp", "openmp")]
    said = note([[one(), *rest], [one(version="0.3.31"), *rest]])
    assert said == (
        "BLAS and OpenMP that differ: numpy OpenBLAS 0.3.30 with 2 threads → OpenBLAS 0.3.31 with 2 threads. The same "
        "on all sides: scipy OpenBLAS 0.3.29 with 2 threads, torch MKL 2024.2 with 2 threads, torch GNU's OpenMP with "
        "2 threads."
    )


@pytest.mark.parametrize(
    ("other", "words"),
    [
        ([one(threads=1)], "OpenBLAS 0.3.30 with 2 threads → OpenBLAS 0.3.30 with 1 thread."),
        ([one(kind="mkl", version="2024.2")], "OpenBLAS 0.3.30 with 2 threads → MKL 2024.2 with 2 threads."),
        ([one(file="lib-2.so")], "2 threads (lib.so) → OpenBLAS 0.3.30 with 2 threads (lib-2.so)."),
        ([], "OpenBLAS 0.3.30 with 2 threads → absent."),
    ],
)
def test_differences(other, words):
    assert note([[one()], other]).endswith(words)


@pytest.mark.parametrize("sides", [[[one()], [one()]], [[], []], [[one()], None], [None, None]])
def test_nothing_to_say(sides):
    assert note(sides) == ""


def test_of_three_sides():
    assert note([[one()], [one()], [one(version="1")]]).count("→") == 2


def test_what_own_processes_loaded_is_kept(tmp_path):
    records = SimpleNamespace(path=tmp_path / "mine.jsonl", run="a", attempt=1)
    own.keep(records, 0, {"old": [one()], "new": None})
    own.keep(records, 1, {"old": [one(version="2")]})
    with own.path_of(records).open("a") as file:
        file.write('{"run": "a", "attempt": 1, "side"\n')
    assert own.path_of(records).name == "mine.loaded.jsonl"
    assert own.loaded(records) == {"old": [one(version="2")], "new": None}
    assert own.loaded(SimpleNamespace(path=records.path, run="b", attempt=1)) == {}
    assert own.loaded(SimpleNamespace(path=records.path, run="a", attempt=2)) == {}
    assert own.loaded(SimpleNamespace(path=tmp_path / "other.jsonl", run="a", attempt=1)) == {}


def test_what_environments_load_is_kept(tmp_path):
    loaded.add(tmp_path, "env", "p", ["b", "a"], [one()])
    with (tmp_path / loaded.FILE).open("a") as file:
        file.write("[]\n{\n")
    loaded.add(tmp_path, "other", "p", ["a"], [])
    assert loaded.of(tmp_path, "env") == loaded.of(tmp_path, "env", "p", ["a", "b"]) == [one()]
    assert loaded.of(tmp_path, "env", "q") is loaded.of(tmp_path, "env", "p", ["a"]) is None
    assert loaded.of(tmp_path, "other") == []
    assert loaded.of(tmp_path / "none", "env") is None


@pytest.mark.environment
def test_an_environment_is_asked_once(of_numpy, config, tmp_path, monkeypatch):
    from asv.environment import get_environments

    env = made(next(env for env in get_environments(config, None) if env.requirements.keys() == {"numpy"}))
    session = SimpleNamespace(
        config=SimpleNamespace(results_dir=str(tmp_path)),
        machine={"machine": "here"},
        environments={env.name: env},
        packages=lambda name: env.packages(),
    )
    found = of_environment(session, env.name, ["numpy"])
    assert [(row["owner"], row["api"]) for row in found] == [("numpy", "blas")]
    (row,) = map(json.loads, (tmp_path / "here" / loaded.FILE).read_text().splitlines())
    assert row["loaded"] == found
    monkeypatch.setattr("arrayspeed.measure.loaded.asked", lambda *_: pytest.fail("asked again"))
    assert of_environment(session, env.name, ["numpy"]) == found
