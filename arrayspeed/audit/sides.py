"""The processes that time one combination in a round of the audit, all alive at once and taking turns."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from arrayspeed.audit import script
from arrayspeed.environments.plugin import isolated
from arrayspeed.measure.asv_servers import needed
from arrayspeed.measure.blocks import Server
from arrayspeed.measure.players import Failed, Player, Spawned
from arrayspeed.model.combination import Combination
from kernels import BACKENDS
from kernels.preparation import REFERENCES

#: The independent clock, and what is compared with it: asv's figure, the loop of blocks, and pyperf's figure.
CLOCK, ASV, TURNS, PYPERF = "clock", "asv", "turns", "pyperf"

#: What serves the sides that are not the blocks' own.
FORKS = "arrayspeed.audit.worker.forks"

#: Where pyperf times the same calls, if an environment has it: kernel and backend. Each kernel has one result.
SAMPLE = tuple((backend.pyperf, backend.name) for backend in BACKENDS.values() if backend.pyperf)


class Sides:
    """What starts the processes of combinations of one environment.

    Parameters
    ----------
    python
        The environment's interpreter.
    benchmarks
        The folder of asv's benchmarks.
    references
        A folder in which processes keep the references that they verify results against.
    has_pyperf
        Whether the environment has pyperf.
    """

    def __init__(self, python: str, benchmarks: str, references: str, has_pyperf: bool = False) -> None:
        self.python = python
        self.benchmarks = benchmarks
        self.references = references
        self.has_pyperf = has_pyperf
        self.servers: dict[str, Server] = {}

    def names(self, combination: Combination) -> list[str]:
        """Return the sides of a combination, the reference first."""
        sampled = self.has_pyperf and (combination.kernel, combination.backend) in SAMPLE
        return [CLOCK, ASV, TURNS, *([PYPERF] if sampled else [])]

    def start(self, name: str, combination: Combination) -> Player:
        """Return a new process of one side.

        Raises
        ------
        Failed
            The server that forks it has ended.
        """
        if name == PYPERF:
            command = [self.python, "-c", script.pyperf(combination)]
            return Spawned(name, command, cwd=Path(self.benchmarks).parent, env=self.env())
        return self.server(name, combination).fork(name, self.request(name, combination))

    def request(self, name: str, combination: Combination) -> dict[str, Any]:
        """Return what a side's server is asked for."""
        if name == TURNS:
            parameters = [combination.backend, combination.size, combination.device]
            return {"benchmark": combination.benchmark, "parameters": parameters, "references": self.references}
        request: dict[str, Any] = {"environment": {REFERENCES: self.references}}
        if name == CLOCK:
            path = Path(self.references, f"{combination.benchmark}-{combination.backend}-{combination.size}.py")
            path.write_text(script.clock(combination), encoding="utf-8")
            return request | {"script": str(path)}
        return request | {
            "module": "arrayspeed.audit.worker.by_asv",
            "arguments": [f"{combination.benchmark}-{combination.index}"],
        }

    def env(self) -> dict[str, str]:
        """Environment variables, as blocks have them."""
        return isolated() | {REFERENCES: self.references}

    def server(self, name: str, combination: Combination) -> Server:
        """Return the server that forks a side's processes. For the suite's own ways it has imported the library as the
        suite does; for the clock, only that library.
        """
        if name not in self.servers:
            preload = needed(combination.benchmark, combination.backend)
            if name == TURNS:
                self.servers[name] = Server(self.python, preload, self.benchmarks)
            else:
                preload, imports = ("", script.imports(combination.library)) if name == CLOCK else (preload, ())
                self.servers[name] = Server(self.python, preload, self.benchmarks, FORKS, imports)
        return self.servers[name]

    def serve(self, names: Iterable[str], combination: Combination) -> None:
        """Start the servers of sides. A process that prepares while a library is imported stays slower than one that
        does not, so none is forked before.
        """
        for name in names:
            if name != PYPERF:
                with suppress(Failed, OSError):  # whoever has it fork a process is told why
                    self.server(name, combination)

    def end_servers(self) -> None:
        """End them: the next are new ones, with memory layouts of their own, and may be of another library."""
        while self.servers:
            self.servers.popitem()[1].end()
