"""Servers that have their library imported: nothing that a fork would break, and the same processes but for that."""

import contextlib
import itertools
import json
import os
import re
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest
from asv import runner

from arrayspeed.measure import asv_servers as servers
from kernels import BACKENDS, CATALOGUE, DEVICES
from support.generated import NEWEST
from tests.conftest import ROOT

IMPORT = """
import os
from pathlib import Path
os.environ["OPENBLAS_NUM_THREADS"] = "1"  # OpenBLAS alone starts threads, and stops them before a fork
import benchmarks, json, kernels, sys
print(json.dumps({
    "threads": len(os.listdir("/proc/self/task")),
    "devices": [name for name in os.listdir("/proc/self/fd") if "nvidia" in os.path.realpath(f"/proc/self/fd/{name}")],
    "imported": [x for x in kernels.LIBRARIES if x in sys.modules],
    "children": Path(f"/proc/self/task/{os.getpid()}/children").read_text(),
    "compiler": "torch._inductor.compile_fx" in sys.modules,
    "told": "ARRAYSPEED_PRELOAD" in os.environ,
}))
"""


def imported(env, library):
    done = subprocess.run(
        [env.find_executable("python"), "-c", IMPORT],
        cwd=ROOT,
        env=os.environ | {"ARRAYSPEED_PRELOAD": library},
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", [*NEWEST, "torch-compile"])
def test_a_server_has_its_library_and_no_thread_process_or_device(newest, name):
    found = imported(newest, name)
    assert found["threads"] == 1
    assert found["children"] == ""
    assert found["devices"] == []
    assert set(found["imported"]) == {"numpy", name.removesuffix("-compile")}
    assert found["compiler"] == (name == "torch-compile")
    assert not found["told"], "the processes that a process starts are no servers"


def test_a_library_that_is_missing_is_left_to_the_benchmarks(newest):
    assert imported(newest, "no_such_library")["imported"] in ([], ["numpy"])


@pytest.fixture
def benchmarks():
    class Benchmarks(dict):
        benchmark_dir = str(ROOT / "benchmarks")

    parameters = [["'numpy'", "'jax'", "'jax-jit'", "'torch-compile'"], ["1", "10"], ["'cpu'", "'gpu'"]]
    return Benchmarks(
        {
            "linalg.matmul.time_call": {"params": parameters},
            "linalg.matmul.track_first_call": {"params": parameters},
            "imports.library.timeraw_import": {"params": [["'torch'"]]},
        }
    )


@pytest.mark.parametrize(
    ("benchmark", "needed"),
    [
        ("linalg.matmul.time_call-0", "numpy"),
        ("linalg.matmul.time_call-3", "numpy"),
        ("linalg.matmul.time_call-4", "jax"),
        ("linalg.matmul.time_call-11", "jax"),
        ("linalg.matmul.time_call-12", "torch-compile"),
        ("linalg.matmul.track_first_call-12", "torch"),
        ("imports.library.timeraw_import-0", "torch"),
    ],
)
def test_what_a_combination_needs(benchmarks, benchmark, needed):
    assert servers.Servers(SimpleNamespace(benchmarks=benchmarks)).needed(benchmark) == needed


def test_a_server_that_dies_fails_one_benchmark_and_is_started_again(newest, benchmarks):
    with servers.serving(SimpleNamespace(benchmarks=benchmarks, failures={}, round=0)) as running:
        arguments = {"params_str": "{}", "profile_path": "None", "timeout": 60, "cwd": "/"}
        arguments["result_file_name"] = os.devnull
        running.run(newest, "linalg.matmul.time_call-0", **arguments)
        (server,) = running.running.values()
        os.kill(server.server_proc.pid, signal.SIGKILL)
        server.server_proc.wait(60)
        output, status = running.run(newest, "linalg.matmul.time_call-0", **arguments)
        assert status != 0
        assert "server of numpy ended" in output
        again, _ = running.run(newest, "linalg.matmul.time_call-0", **arguments)
        assert "server of numpy ended" not in again
        (server,) = running.running.values()
    assert server.server_proc.poll() is not None, "a server must not outlive its run"


def sleeps(pid):
    """How often a process has gone to sleep."""
    with open(f"/proc/{pid}/status") as status:
        return int(re.search(r"^voluntary_ctxt_switches:\s*(\d+)", status.read(), re.MULTILINE)[1])


@pytest.mark.clock
def test_a_server_sleeps_while_its_process_measures(newest, tmp_path):
    place = list(itertools.product(BACKENDS, CATALOGUE["matmul"].sizes, DEVICES)).index(("numpy", 2000, "cpu"))
    with runner_of(newest) as server:
        before, start = sleeps(server.server_proc.pid), time.monotonic()
        output, status = server.run(
            f"linalg.matmul_float64.time_call-{place}", "{}", None, str(tmp_path / "result"), 60, str(tmp_path)
        )
        seconds, times = time.monotonic() - start, sleeps(server.server_proc.pid) - before
    assert (output, status) == ("", 0)
    assert seconds > 0.5, "too short to tell"
    assert times / seconds < 100, "asv's own server wakes up every millisecond"


@contextlib.contextmanager
def runner_of(env):
    """A server that asv starts itself, without ours."""
    server = runner.ForkServer(env, str(ROOT / "benchmarks"))
    try:
        assert server.preimport() == (True, "")
        yield server
    finally:
        server.interrupt()
        server.close()


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def test_a_server_ends_with_a_run_that_is_killed(newest):
    code = f"""
import os, sys
sys.path.insert(0, {str(ROOT)!r})
os.chdir({str(ROOT)!r})
from types import SimpleNamespace
from arrayspeed.measure import asv_servers as servers
from arrayspeed.environments.project import load_config
from asv.environment import get_environments
env = next(env for env in get_environments(load_config(), None) if env.name == {newest.name!r})
class Benchmarks(dict):
    benchmark_dir = {str(ROOT / "benchmarks")!r}
running = servers.Servers(SimpleNamespace(benchmarks=Benchmarks()))
print(running.server(env, (env.name, "numpy", 0)).server_proc.pid, flush=True)
import time; time.sleep(600)
"""
    run = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    server = int(run.stdout.readline())
    assert alive(server)
    run.kill()
    run.wait(60)
    deadline = time.monotonic() + 30
    while alive(server) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not alive(server)
