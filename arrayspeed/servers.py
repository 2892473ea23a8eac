"""Forkservers with a library already imported, so that a measuring process starts in milliseconds, not seconds.

asv starts a server for each of its runs, which imports only the benchmarks; every process that it forks then
imports its library: 2.5 s of PyTorch and as long again of its compiler, 3.5 s of TensorFlow, for a second of
measuring. Here a server stays for the whole run and has one library imported. The compiler is imported where the
first call is not what is measured: it is a part of the first call.

No library starts a thread or opens a device when it is imported, but for OpenBLAS, which stops its threads before a
fork and starts them anew after it (tests/test_servers.py).
"""

from __future__ import annotations

import contextlib
import math
import os
from collections import OrderedDict
from collections.abc import Iterator

from asv import runner, util

from kernels import BACKENDS

#: Tells a server what to import: benchmarks/__init__.py.
PRELOAD = "ARRAYSPEED_PRELOAD"

#: Servers that may wait at a time; the one that waits longest ends first. All libraries of one environment, and
#: some of another.
LIMIT = 8


class Servers:
    """All servers of a run, by environment and what they have imported, started when they are first needed."""

    def __init__(self, benchmarks) -> None:
        self.benchmarks = benchmarks
        self.running = OrderedDict()

    def run(self, env, benchmark_id: str, **arguments) -> tuple[str, int]:
        """Have the server of a combination's library run it; returns its output and exit status."""
        key = env.name, self.needed(benchmark_id)
        try:
            return self.server(env, key).run(benchmark_id, **arguments)
        except (util.UserError, RuntimeError, OSError, ValueError) as error:
            self.end(key)
            return f"the server of {key[1]} ended: {error}", 1

    def needed(self, benchmark_id: str) -> str:
        """What a combination, which asv names ``benchmark-index``, needs imported; the first parameter says which."""
        name, _, index = benchmark_id.rpartition("-")
        first, *others = self.benchmarks[name]["params"]
        subject = first[int(index) // math.prod(map(len, others))].strip("'\"")
        if subject == "torch-compile" and not name.endswith(".track_first_call"):
            return subject
        return BACKENDS[subject].library if subject in BACKENDS else subject

    def server(self, env, key: tuple[str, str]) -> runner.ForkServer:
        """A waiting server; it has imported the benchmarks and the library."""
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

    def end(self, key: tuple[str, str]) -> None:
        """End one server."""
        if server := self.running.pop(key, None):
            # What it printed belongs to no result, and asv would show it.
            server.interrupt()
            server.close()

    def end_all(self) -> None:
        """End all servers."""
        while self.running:
            self.end(next(iter(self.running)))


class Spawner:
    """Stands in for asv's own spawner of one environment."""

    def __init__(self, servers: Servers, env) -> None:
        self.servers = servers
        self.env = env

    def run(self, name, params_str, profile_path, result_file_name, timeout, cwd):
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

    def preimport(self):
        """Servers import when they start."""
        return True, ""

    def interrupt(self):
        """Servers end with the run."""

    def close(self):
        """Servers outlive one of asv's runs."""


@contextlib.contextmanager
def serving(benchmarks) -> Iterator[Servers]:
    """Within, asv's runner takes its processes from servers that stay."""
    servers = Servers(benchmarks)
    theirs = runner.get_spawner
    runner.get_spawner = lambda env, benchmark_dir, launch_method: Spawner(servers, env)
    try:
        yield servers
    finally:
        runner.get_spawner = theirs
        servers.end_all()
