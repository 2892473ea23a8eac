"""Gives blocks to idle hosts, and those of a host that is lost, slow or wrong to another of its kind.

There are never more tasks than idle hosts: a task that waits for a busy one would hold its blocks. A task is bound to
its host. Whatever a host sends after it was given up is not looked at.
"""

from __future__ import annotations

import json
import re
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from asv.config import Config
from asv.repo import get_repo

from arrayspeed.decide import Looks
from arrayspeed.environments.project import measured_code
from arrayspeed.fleet import answers
from arrayspeed.fleet.kind import Kind
from arrayspeed.fleet.plan import Plan, block_of, code
from arrayspeed.fleet.worker import ask
from arrayspeed.measure import interrupts
from arrayspeed.measure.blocks import Block
from arrayspeed.measure.looking import Limits
from arrayspeed.measure.session import same_code
from arrayspeed.model.errors import UserError
from arrayspeed.model.text import printable
from arrayspeed.records import processes
from arrayspeed.records.processes import Process
from arrayspeed.records.results import result_commits

if TYPE_CHECKING:
    from distributed import Client, Future

#: Seconds between two looks at the hosts, and until a busy host is asked again.
PAUSE, AGAIN = 0.2, 5.0

#: A host that takes so many times as long for a round as any other has is slow.
SLOW = 10


@dataclass
class Host:
    """A worker. ``aside``: why it gets nothing more."""

    address: str
    name: str = ""
    kind: Kind | None = None
    commit: str = ""
    future: Future[str] | None = None
    gang: list[str] | None = None
    asked: dict[str, tuple[Block, list[int]]] = field(default_factory=dict)
    since: float = field(default_factory=time.monotonic)
    started: float = 0.0
    again: float = 0.0
    aside: str | None = None
    slow: bool = False
    done: int = 0

    @property
    def label(self) -> str:
        """What it is called in messages."""
        return printable(self.name or self.address)


class Fleet:
    """One run of a plan.

    Parameters
    ----------
    folder
        The project on the hosts; None for where their workers were started.
    patience
        Seconds after which a host may be slow.
    hostless
        Seconds for which to wait where no host is there that could do anything.
    """

    def __init__(
        self,
        client: Client,
        config: Config,
        plan: Plan,
        limits: Limits,
        folder: str | None = None,
        patience: float = 600.0,
        hostless: float = 60.0,
        say: Callable[[str], None] = print,
    ) -> None:
        self.client, self.config, self.plan, self.limits = client, config, plan, limits
        self.folder, self.patience, self.hostless, self.say = folder, patience, hostless, say
        self.results = Path(config.results_dir)
        self.hosts: dict[str, Host] = {}
        self.kinds: dict[str, Kind] = {}
        self.head, self.code = measured_code("HEAD"), code()
        self.started = self.seen = time.monotonic()
        self.longest = self.overhead = 0.0
        self.requests = 0

    def run(self) -> list[Kind]:
        """Measure until everything is decided, on every kind of machine that has a host; Ctrl-C and the end of the
        minutes end it earlier.

        Raises
        ------
        UserError
            There is no host that can measure, or the scheduler is gone.
        """
        answers.merge_left(self.results)
        until = self.started + 60 * self.limits.minutes
        late = False
        try:
            while self.work_left() and not (late := time.monotonic() >= until):
                interrupts.check()
                self.step()
                time.sleep(PAUSE)
        except KeyboardInterrupt:
            interrupts.forget()
            self.say("stopped: what follows is decided from what has been measured")
        except (OSError, TimeoutError) as error:
            if not self.gone(error):
                raise
            raise UserError(
                "the scheduler is gone; what was finished is saved: start it, and run this again"
            ) from error
        finally:
            self.save()
        for kind in self.kinds.values():
            kind.stop(late)
        if not self.kinds:
            whys = "; ".join(f"{host.label}: {host.aside}" for host in self.hosts.values() if host.aside)
            raise UserError(f"no host can measure this: {whys or 'start workers, as docs/measure.md says'}")
        if self.requests:
            self.say(f"{self.requests} requests, each {self.overhead / self.requests:.2f} s longer than the measuring")
        return list(self.kinds.values())

    def gone(self, error: Exception) -> bool:
        """Return whether an error is of the connection to the scheduler, and not of this machine's files."""
        return getattr(error, "filename", None) is None and getattr(error, "errno", None) is None

    def work_left(self) -> bool:
        """Return whether something is to be measured, and somebody may still do it."""
        now = time.monotonic()
        useful = [host for host in self.hosts.values() if not host.aside]
        left = [kind for kind in self.kinds.values() if not kind.finished]
        joining = any(host.kind is None and now < host.since + self.patience for host in useful)
        if joining or any(host.kind in left for host in useful):
            self.seen = now
        elif self.kinds and not left:
            return False
        elif now > self.seen + self.hostless:
            self.say(f"no host is left of {', '.join(kind.machine for kind in left) or 'any kind'}")
            return False
        return True

    def step(self) -> None:
        """Look at all hosts once."""
        working = self.client.processing()
        for address in working.keys() - self.hosts.keys():
            self.hosts[address] = Host(address)
        for address in self.hosts.keys() - working.keys():
            self.lose(self.hosts.pop(address))
        for host in self.hosts.values():
            if host.future is not None and host.future.done():
                self.hear(host)
        for kind in self.kinds.values():
            if not kind.finished and not kind.queue and not any(one.gang for one in self.of(kind)):
                kind.fill(kind.look())
                self.say(f"{kind.machine}: after look {kind.looks.number}: {words(kind)}")
                self.save()
        for host in self.hosts.values():
            if host.future is None and not host.aside and time.monotonic() >= host.again and not working[host.address]:
                self.give(host)
        self.find_slow()

    def of(self, kind: Kind) -> Iterator[Host]:
        """Return the hosts of a kind."""
        return (host for host in self.hosts.values() if host.kind is kind)

    def give(self, host: Host) -> None:
        """Ask an idle host to join, or for blocks that wait."""
        if host.kind is None:
            return self.submit(host, {})
        present = {one.name for one in self.of(host.kind) if not one.aside and not one.slow}
        if time.monotonic() < self.started + min(30.0, self.patience):
            present |= set(host.kind.owner.values())  # they may be about to join
        gang = host.kind.next_for(host.name, present)
        if gang is None:
            return None
        host.gang, host.asked, known = gang, {}, defaultdict(list)
        for name in gang:
            block = replace(host.kind.blocks[name], name=f"{name}@{host.name}")
            if numbers := host.kind.needed(name, host.name):
                host.asked[block.name] = block, numbers
            # asv's value is of all rounds, and all rounds tell whether a call takes two times.
            for one in host.kind.stored.get(name, {}).get(host.name, ()):
                file = answers.named(host.kind.machine, host.commit, one.one.environment, processes.SUFFIX)
                known[file].append(json.dumps(processes.line(one)) + "\n")
        if not host.asked:  # it had measured them before another took them
            return self.take(host, {})
        blocks = [[asdict(block), rounds] for block, rounds in host.asked.values()]
        return self.submit(host, {"blocks": blocks, "known": {file: "".join(lines) for file, lines in known.items()}})

    def submit(self, host: Host, request: dict[str, Any]) -> None:
        """Send a request to a host, and to no other."""
        host.started, host.slow = time.monotonic(), False
        what = ", ".join(host.asked) if request else "join"
        host.future = self.client.submit(
            ask,
            self.plan.text(),
            request,
            self.folder,
            key=f"arrayspeed {host.label}: {what} {time.time_ns():x}",
            workers=[host.address],
            allow_other_workers=False,
            pure=False,
        )

    def hear(self, host: Host) -> None:
        """Take a host's answer, or say why not."""
        future, host.future = host.future, None
        assert future is not None
        try:
            if future.status != "finished":
                why = future.exception() if future.status == "error" else future.status
                raise UserError(f"{why}".splitlines()[0])
            answer = json.loads(future.result(timeout=60))
            if not isinstance(answer, dict):
                raise answers.Garbage("it sent no answer")
            if "busy" in answer:
                host.again = time.monotonic() + AGAIN
                self.give_back(host)
                return
            if "failed" in answer:
                raise UserError(str(answer["failed"]))
            if host.gang is None:
                self.join(host, answer)
            elif not host.slow:
                self.accept(host, answer)
        except (UserError, ValueError, LookupError, TypeError, AttributeError) as error:
            self.put_aside(
                host, str(error) if isinstance(error, UserError) else f"its answer cannot be read: {error!r}"
            )
        host.slow, host.gang = False, None

    def join(self, host: Host, answer: dict[str, Any]) -> None:
        """Take in a host that says what it is; it is refused where it would measure something else.

        Raises
        ------
        UserError
            It is.
        """
        name, machine, commit = (str(answer[key]) for key in ("host", "machine", "commit"))
        patterns = {name: r"[\w-]+", machine: r"\w[\w.-]*", commit: "[0-9a-f]{40}"}
        if not all(re.fullmatch(pattern, text) for text, pattern in patterns.items()):
            raise answers.Garbage("it sent names that are none")
        if any(other.name == name for other in self.hosts.values()):
            raise UserError(f"another worker on {printable(name)} is there already: one a host")
        if answer["code"] != self.code or measured_code(commit) != self.head:
            raise UserError("its kernels and benchmarks are not those of this project: check out the same commit there")
        blocks = {block.name: block for block in map(block_of, answer["blocks"])}
        environments = {side.environment for block in blocks.values() for side in block.sides}
        kind = self.kinds.get(machine)
        if any("/" in environment for environment in environments):
            raise answers.Garbage("it sent names that are none")
        if not blocks:
            raise UserError("nothing that is selected can be compared there")
        if kind and blocks != kind.blocks:
            raise UserError(f"it would measure other blocks than the first host of {printable(machine)}")
        files = answers.of_environments(answer["files"], machine, commit, environments)
        answers.check_packages(self.results, machine, commit, environments, files)
        answers.store(self.results, machine, files)
        if kind is None:
            commits = list(
                dict.fromkeys([commit, *same_code(get_repo(self.config), result_commits(self.results, machine))])
            )
            kind = self.kinds[machine] = Kind(machine, commits, blocks, Looks(self.limits.rounds, self.limits.factor))
            kind.load(str(self.results))
        host.name, host.kind, host.commit = name, kind, commit
        self.say(f"{host.label} joined: {printable(machine)}, {len(blocks)} blocks, {len(kind.stored)} of them begun")
        self.save()

    def accept(self, host: Host, answer: dict[str, Any]) -> None:
        """Take the records of a host's blocks.

        Raises
        ------
        UserError
            They are not what was asked for.
        """
        assert host.kind is not None
        environments = {side.environment for block, _ in host.asked.values() for side in block.sides}
        files = answers.of_environments(answer["files"], host.kind.machine, host.commit, environments)
        found = answers.played(files, host.kind.machine, host.commit, host.asked)
        answers.store(self.results, host.kind.machine, files)
        self.take(host, found)
        took, rounds = time.monotonic() - host.started, sum(len(numbers) for _, numbers in host.asked.values())
        self.longest = max(self.longest, took / rounds)
        self.overhead += took - float(answer["seconds"])
        self.requests += 1
        host.done += len(found)
        self.say(f"{host.label}: {', '.join(what(block) for block, _ in host.asked.values())} in {took:.1f} s")
        self.save()

    def take(self, host: Host, by_name: dict[str, list[Process]]) -> None:
        """Blocks of a host are measured up to the next look, and count."""
        assert host.kind is not None and host.gang is not None
        for name in host.gang:
            host.kind.take(name, host.name, by_name.get(f"{name}@{host.name}", []))
        host.gang = None

    def give_back(self, host: Host) -> None:
        """Queue the blocks of a host again, for whoever is idle."""
        if host.gang and not host.slow:
            assert host.kind is not None
            host.kind.queue.insert(0, host.gang)
        host.gang = None

    def put_aside(self, host: Host, why: str) -> None:
        """Give a host nothing more; its blocks go to others."""
        host.aside = printable(why)
        self.say(f"{host.label} is set aside: {host.aside}")
        self.give_back(host)
        self.save()

    def lose(self, host: Host) -> None:
        """Note that a worker is gone."""
        if host.future is not None:
            host.future.cancel()
        if not host.aside:
            self.say(f"{host.label} is lost" + ("; its blocks go to others" if host.gang else ""))
        self.give_back(host)

    def find_slow(self) -> None:
        """Give the blocks of hosts that take far too long to others that are idle."""
        for host in self.hosts.values():
            if host.gang is None or host.slow or host.kind is None or host.kind.queue:
                continue
            rounds = sum(len(numbers) for _, numbers in host.asked.values())
            late = time.monotonic() > host.started + max(self.patience, SLOW * self.longest * rounds)
            if late and any(one.future is None and not one.aside for one in self.of(host.kind) if one is not host):
                self.say(f"{host.label} is slow: its blocks go to another host")
                self.give_back(host)
                host.slow, host.gang = True, []

    def save(self) -> None:
        """Write what `arrayspeed fleet status` tells."""
        answers.save_state(self.results, state(self.kinds.values(), self.hosts.values()))


def what(block: Block) -> str:
    """Return a block in a few words."""
    one = block.one
    return " ".join(str(part) for part in (one.kernel, one.size, one.backend, one.measure) if part is not None)


def words(kind: Kind) -> str:
    """Return how many comparisons there are of each word, and how many blocks wait."""
    found: dict[str, int] = {}
    for decision in kind.decisions.values():
        found[decision.verdict] = found.get(decision.verdict, 0) + 1
    said = ", ".join(f"{count} {word}" for word, count in sorted(found.items())) or "nothing decided"
    return f"{said}; {sum(map(len, kind.queue))} blocks left"


def state(kinds: Iterable[Kind], hosts: Iterable[Host]) -> str:
    """Return what is known, as JSON."""
    return json.dumps(
        {
            "kinds": {
                kind.machine: {
                    "blocks": len(kind.blocks),
                    "begun": len(kind.stored),
                    "waiting": sum(map(len, kind.queue)),
                    "failed": sum(all(one.value is None for one in ones) for ones in kind.found.values()),
                    "finished": kind.finished,
                }
                for kind in kinds
            },
            "hosts": {
                host.label: {
                    "kind": host.kind.machine if host.kind else None,
                    "blocks": host.done,
                    "running": list(host.asked) if host.gang else [],
                    "aside": host.aside,
                }
                for host in hosts
            },
        },
        indent=1,
    )
