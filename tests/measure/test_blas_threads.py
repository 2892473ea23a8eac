"""Forked processes of NumPy begin with the threads of OpenBLAS."""

import hashlib
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from benchmarks import blas_threads
from benchmarks.blas_threads import any_other_runs, loaded, starting

ROOT = Path(__file__).parents[2]

#: Prints the threads of a server that has imported NumPy, and of a process that it forked.
SERVER = """
import os
import numpy
from benchmarks.preload import preload

def threads():
    return len(os.listdir("/proc/self/task"))

preload({library!r})
print(threads(), flush=True)
if os.fork() == 0:
    print(threads(), flush=True)
    os._exit(0)
os.wait()
"""


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="threads are counted in /proc")
@pytest.mark.seconds
@pytest.mark.parametrize("library", ["numpy", "toy"])
def test_a_process_that_is_forked_for_numpy_has_the_threads_of_its_server_and_no_other_has(library):
    pytest.importorskip("numpy")
    if not loaded() or len(os.sched_getaffinity(0)) == 1:
        pytest.skip("this NumPy has another BLAS, or one core and no threads")
    command = [sys.executable, "-c", SERVER.format(library=library)]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    server, forked = map(int, run.stdout.split())
    assert server > 1
    assert forked == (server if library == "numpy" else 1)


@pytest.mark.skipif(sys.platform != "linux", reason="what threads do is told in /proc")
def test_a_thread_that_works_is_told_from_one_that_sleeps():
    go, rest = threading.Event(), threading.Event()

    def work():
        go.wait()
        while not rest.is_set():
            hashlib.pbkdf2_hmac("sha256", b"", b"", 10_000)

    thread = threading.Thread(target=work)
    thread.start()
    assert until(lambda: not any_other_runs())
    go.set()
    assert until(any_other_runs)
    rest.set()
    thread.join()
    assert until(lambda: not any_other_runs())


def until(holds):
    """Whether it comes to hold within ten seconds."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        if holds():
            return True
        time.sleep(0.001)
    return False


def test_a_library_without_these_functions_starts_nothing():
    assert starting(None) is None  # those of the interpreter itself


def test_where_the_system_does_not_tell_nothing_is_started(monkeypatch):
    def refused(path, *arguments, **options):
        raise PermissionError(path)

    monkeypatch.setattr("builtins.open", refused)
    assert blas_threads.loaded() == []
