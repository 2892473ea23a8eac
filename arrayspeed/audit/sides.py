"""The processes that time one combination in a round of the audit, all alive at once and taking turns."""

from __future__ import annotations

import os
from pathlib import Path

from arrayspeed.audit import script
from arrayspeed.measure.asv_servers import needed
from arrayspeed.measure.blocks import Server
from arrayspeed.measure.players import Player, Spawned
from arrayspeed.model.combination import Combination
from kernels.preparation import REFERENCES

#: The independent clock, and what is compared with it: asv's figure, the loop of blocks, and pyperf's figure.
CLOCK, ASV, TURNS, PYPERF = "clock", "asv", "turns", "pyperf"

#: Where pyperf times the same calls, if an environment has it: kernel and backend. Each kernel has one result.
SAMPLE = (("matmul", "numpy"), ("add", "jax-jit"))


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
        self.server: Server | None = None

    def names(self, one: Combination) -> list[str]:
        """The sides of a combination, the reference first."""
        sampled = self.has_pyperf and (one.kernel, one.backend) in SAMPLE
        return [CLOCK, ASV, TURNS, *([PYPERF] if sampled else [])]

    def start(self, name: str, one: Combination) -> Player:
        """A new process of one side.

        Raises
        ------
        Failed
            The server that blocks use has ended.
        """
        if name == TURNS:
            request = {"benchmark": one.benchmark, "parameters": [one.backend, one.size, one.device]}
            return self.running_server(one).fork(name, request | {"references": self.references})
        return Spawned(name, [self.python, *self.command(name, one)], cwd=Path(self.benchmarks).parent, env=self.env())

    def command(self, name: str, one: Combination) -> list[str]:
        """The arguments of the interpreter."""
        if name == ASV:
            return ["-m", "arrayspeed.audit.inside.by_asv", f"{one.benchmark}-{one.index}"]
        return ["-c", (script.clock if name == CLOCK else script.pyperf)(one)]

    def env(self) -> dict[str, str]:
        """Environment variables, as blocks have them."""
        return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | {
            REFERENCES: self.references
        }

    def running_server(self, one: Combination) -> Server:
        """The server that forks as for blocks, with the combination's library imported."""
        if self.server is None:
            self.server = Server(self.python, needed(one.benchmark, one.backend), self.benchmarks)
        return self.server

    def end_server(self) -> None:
        """End it: the next is a new one, with a memory layout of its own, and may be of another library."""
        if self.server is not None:
            self.server.end()
            self.server = None
