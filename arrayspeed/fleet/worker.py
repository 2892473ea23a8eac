"""What a Dask worker runs: it asks the host's own process, and waits idly for the answer.

A worker's nanny sets variables that change numbers (threads of BLAS, glibc's allocator, hash seeds). The process that
measures has none of them; its records say which were removed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Mapping
from typing import Any

#: What a worker's environment may hold that changes a number, beside what Dask's configuration lists.
REMOVED = {
    *("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS", "NUMEXPR_NUM_THREADS"),
    *("BLIS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS", "MALLOC_TRIM_THRESHOLD_", "MALLOC_ARENA_MAX", "PYTHONHASHSEED"),
}

#: The program of a host's own process.
PROGRAM = [sys.executable, "-m", "arrayspeed.fleet.host"]

_lock = threading.Lock()
_asked: list[Child] = []


class Child:
    """The process of a plan. Linux kills it when the worker dies."""

    def __init__(self, plan: str, folder: str | None) -> None:
        self.plan = plan
        environment, removed = clean(os.environ)
        self.process = subprocess.Popen(
            PROGRAM,
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self.say({"plan": plan, "removed": removed})

    def say(self, data: dict[str, Any]) -> None:
        """Write a line to it."""
        print(json.dumps(data), file=self.process.stdin, flush=True)

    def ask(self, request: dict[str, Any]) -> str:
        """Its answer."""
        assert self.process.stdout is not None
        try:
            self.say(request)
            if answer := self.process.stdout.readline():
                return answer
        except OSError:
            pass
        self.end()
        return json.dumps({"failed": f"its process ended with status {self.process.returncode}; see the worker's log"})

    def end(self) -> None:
        """Have it end: nobody asks any more."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.kill()
        self.process.wait()


def clean(environment: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """Return an environment without what a worker sets, and what was removed."""
    from dask import config

    names = REMOVED.union(*(config.get(f"distributed.nanny.{key}", {}) for key in ("pre-spawn-environ", "environ")))
    removed = {name: value for name, value in environment.items() if name in names}
    kept = {name: value for name, value in environment.items() if name not in names and "DASK_" not in name}
    return kept, removed


def ask(plan: str, request: dict[str, Any], folder: str | None) -> str:
    """Have this host answer; a process of another plan ends."""
    with _lock:
        if _asked and (_asked[0].plan != plan or _asked[0].process.poll() is not None):
            _asked.pop().end()
        if not _asked:
            _asked.append(Child(plan, folder))
        return _asked[0].ask(request)
