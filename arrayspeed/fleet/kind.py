"""The blocks of one kind of machine: rounds, looks, and which host owns which block.

All rounds of a block that count are of one host. Where it is lost, another of the kind begins at the first round, under
the block's name with its own: ``run.hash@host``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

from arrayspeed.decide import Decision, Looks, Observed
from arrayspeed.measure.blocks import Block, group_by_process
from arrayspeed.records import processes
from arrayspeed.records.processes import Process
from arrayspeed.versions.releases import Key, observed


@dataclass
class Kind:
    """What is known of one kind.

    Attributes
    ----------
    machine, commits
        Its name, as the results have it, and the commits that measure the same as the hosts'.
    stored
        The processes of each block, by host.
    owner
        The host whose processes count.
    queue
        Blocks that wait for a host, as they are measured together.
    """

    machine: str
    commits: list[str]
    blocks: Mapping[str, Block]
    looks: Looks
    stored: dict[str, dict[str, list[Process]]] = field(default_factory=dict)
    owner: dict[str, str] = field(default_factory=dict)
    queue: list[list[str]] = field(default_factory=list)
    decisions: dict[Key, Decision] = field(default_factory=dict)
    finished: bool = False

    @property
    def found(self) -> dict[str, list[Process]]:
        """The processes of each block that count."""
        return {name: hosts[self.owner[name]] for name, hosts in self.stored.items()}

    def load(self, folder: str) -> None:
        """Take up what is stored; of each block, the host with most rounds counts."""
        sides = {(name, one.environment): one for name, block in self.blocks.items() for one in block.sides}
        for environment in {environment for _, environment in sides}:
            for process in processes.load(folder, self.machine, environment, self.commits):
                name, _, host = (process.block or "").partition("@")
                if host and (one := sides.get((name, environment))):
                    self.take(name, host, [replace(process, one=one)])
        for name, hosts in self.stored.items():
            self.owner[name] = max(hosts, key=lambda host: len(hosts[host]))
        self.fill(self.blocks)

    def fill(self, left: Iterable[str]) -> None:
        """Queue blocks that need more rounds before the next look; where none does, look."""
        self.queue = []
        while left:
            by_owner = defaultdict(list)
            for name in left:
                if self.needed(name, self.owner.get(name)):
                    by_owner[self.owner.get(name)].append(self.blocks[name])
            self.queue = [[one.name for one in gang] for ones in by_owner.values() for gang in group_by_process(ones)]
            if self.queue:
                return
            left = self.look()
        self.finished = True

    def look(self) -> list[str]:
        """Judge everything; the blocks that need more rounds."""
        last = self.looks.number + 1 >= len(self.looks.plan)
        self.decisions = self.looks.look(self.observed())
        undecided = self.looks.undecided(self.decisions)
        return [] if last else list(dict.fromkeys(name for name, *_ in undecided))

    def observed(self) -> dict[Key, Observed]:
        """Return every side against its reference."""
        return observed(self.blocks, self.found)

    def needed(self, name: str, host: str | None) -> list[int]:
        """Return the rounds that a block lacks before the next look, if a host measures it."""
        plan, block = self.looks.plan, self.blocks[name]
        there = {process.round for process in self.stored.get(name, {}).get(host or "", ())}
        look = plan[min(self.looks.number, len(plan) - 1)]
        return [number for number in range(look) if number not in there and not block.waits(number, plan[0])]

    def take(self, name: str, host: str, played: list[Process]) -> None:
        """Take the rounds of a block that a host has measured."""
        self.owner[name] = host
        self.stored.setdefault(name, {}).setdefault(host, []).extend(played)

    def stop(self, late: bool) -> None:
        """Decide from what there is: nothing more will be measured, because time is up or somebody stopped it."""
        if not self.finished and (so_far := self.observed()):
            self.decisions = self.looks.look(so_far, last=late)

    def next_for(self, host: str, present: Collection[str]) -> list[str] | None:
        """Blocks for an idle host: its own, or those that nobody who is present owns."""
        for gang in self.queue:
            owner = self.owner.get(gang[0])
            if owner == host or owner not in present:
                self.queue.remove(gang)
                return gang
        return None
