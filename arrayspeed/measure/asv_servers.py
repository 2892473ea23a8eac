"""Forkservers with a library already imported, so that a measuring process starts in milliseconds, not seconds.

asv starts a server for each of its runs, which imports only the benchmarks; every process that it forks then
imports its library: 2.5 s of PyTorch and as long again of its compiler, 3.5 s of TensorFlow, for a second of
measuring. Here a server stays for the whole run and has one library imported. The compiler is imported where the
first call is not what is measured: it is a part of the first call.

No library starts a thread or opens a device when it is imported, but for OpenBLAS, which stops its threads before a
fork and starts them anew after it (tests/measure/test_servers.py).
"""

from __future__ import annotations

import contextlib
import math
import os
import signal
from collections import OrderedDict
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from asv import environment, runner, util

from arrayspeed.model.failures import CRASHED, OUT_OF_MEMORY, TIMED_OUT, class_of
from arrayspeed.model.measures import FIRST_CALL
from arrayspeed.model.text import printable
from kernels import BACKENDS

if TYPE_CHECKING:
    from arrayspeed.measure.session import Session

#: Tells a server what to import: benchmarks/__init__.py.
PRELOAD = "ARRAYSPEED_PRELOAD"

#: Servers that may wait at a time; the one that waits longest ends first. Two for each library of one environment, and
#: for the versions of one library.
LIMIT = 12


class Servers:
    """All servers of a session, by environment and what they have imported, started when they are first needed.

    Rounds take turns between two sets of them: processes that one server forks share its memory layout, and would look
    more alike than processes are.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self.benchmarks = session.benchmarks
        self.running: OrderedDict[tuple[str, str, int], runner.ForkServer] = OrderedDict()

    def run(self, env: environment.Environment, benchmark_id: str, **arguments: Any) -> tuple[str, int]:
        """Have the server of a combination's library run it; returns its output and exit status."""
        key = env.name, self.needed(benchmark_id), self.session.round % 2
        try:
            output, status = self.server(env, key).run(benchmark_id, **arguments)
        except (util.UserError, RuntimeError, OSError, ValueError) as error:
            self.end(key)
            output, status = f"the server of {key[1]} ended: {error}", 1
        if status != 0 or output.strip():
            self.session.failures[env.name, benchmark_id] = failure(output, status, arguments["timeout"])
        return output, status

    def needed(self, benchmark_id: str) -> str:
        """Return what a combination, which asv names ``benchmark-index``, needs imported; the first parameter says
        which.
        """
        name, _, index = benchmark_id.rpartition("-")
        first, *others = self.benchmarks[name]["params"]
        return needed(name, first[int(index) // math.prod(map(len, others))].strip("'\""))

    def server(self, env: environment.Environment, key: tuple[str, str, int]) -> runner.ForkServer:
        """Return a waiting server; it has imported the benchmarks and the library."""
        if key not in self.running:
            while len(self.running) >= LIMIT:
                self.end(next(iter(self.running)))
            os.environ[PRELOAD] = key[1]
            try:
                self.running[key] = runner.ForkServer(env, self.benchmarks.benchmark_dir)
            finally:
                del os.environ[PRELOAD]
            ready, output = self.running[key].preimport()
            if not ready:
                raise RuntimeError(output)
        self.running.move_to_end(key)
        return self.running[key]

    def end(self, key: tuple[str, str, int]) -> None:
        """End one server."""
        if server := self.running.pop(key, None):
            # What it printed belongs to no result, and asv would show it.
            server.interrupt()
            server.close()

    def end_all(self) -> None:
        """End all servers."""
        while self.running:
            self.end(next(iter(self.running)))


def needed(benchmark: str, backend: str) -> str:
    """Return what a process of a benchmark needs imported: a library; or a backend, which is its library with its
    compiler.
    """
    if backend not in BACKENDS:
        return backend
    way = BACKENDS[backend]
    return way.name if way.preload and not benchmark.endswith(f".{FIRST_CALL.name}") else way.library


def failure(output: str, status: int, timeout: float) -> tuple[str, str]:
    """Return why a process gave no value, in a line, and its class: from how it ended and what it printed last."""
    if status == util.TIMEOUT_RETCODE:
        return f"it was ended, because it was still running after {timeout:g} s", TIMED_OUT
    if status == -signal.SIGKILL:
        return "it was killed (SIGKILL), as Linux does when memory runs out", OUT_OF_MEMORY
    if status < 0:
        return f"it crashed ({signal.strsignal(-status) or f'signal {-status}'})", CRASHED
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    last = lines[-1] if lines else f"it ended with status {status}"
    return printable(last)[:500], class_of(last)


class Spawner:
    """Stands in for asv's own spawner of one environment."""

    def __init__(self, servers: Servers, env: environment.Environment) -> None:
        self.servers = servers
        self.env = env

    def run(
        self, name: str, params_str: str, profile_path: str, result_file_name: str, timeout: float, cwd: str
    ) -> tuple[str, int]:
        """Run one combination once; asv calls this with its names."""
        return self.servers.run(
            self.env,
            name,
            params_str=params_str,
            profile_path=profile_path,
            result_file_name=result_file_name,
            timeout=timeout,
            cwd=cwd,
        )

    def preimport(self) -> tuple[bool, str]:
        """Servers import when they start."""
        return True, ""

    def interrupt(self) -> None:
        """Servers end with the run."""

    def close(self) -> None:
        """Servers outlive one of asv's runs."""


@contextlib.contextmanager
def serving(session: Session) -> Iterator[Servers]:
    """Within, asv's runner takes its processes from servers that stay; ``session.failures`` says what went wrong."""
    servers = Servers(session)
    theirs = runner.get_spawner
    runner.get_spawner = lambda env, benchmark_dir, launch_method: Spawner(servers, env)
    try:
        yield servers
    finally:
        runner.get_spawner = theirs
        servers.end_all()
