"""Blocks: all sides of a comparison, measured side by side, round after round, with new processes in each.

Times are taken in turn by batches (`arrayspeed.measure.players`): in each round every side has a process of its own,
forked by a new server of its environment, and all of them are alive at once. First calls, memory and errors are one
figure a process: the same processes measure them while they prepare, one after the other. While first calls are quick,
sides take turns by processes, which make no other call. The rest, such as imports, is asv's own; there the sides'
processes run one after the other, within seconds. Every order is drawn.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import os
import random
import select
import signal
import socket
import subprocess
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from arrayspeed.environments.plugin import isolated
from arrayspeed.measure import asv_processes
from arrayspeed.measure.asv_servers import PRELOAD, failure, needed, serving
from arrayspeed.measure.players import Failed, Interleaving, Player, Samples, ending, interleave
from arrayspeed.measure.progress import cost
from arrayspeed.measure.session import Session
from arrayspeed.model.combination import Combination
from arrayspeed.model.failures import CRASHED, ERROR, TIMED_OUT, class_of
from arrayspeed.model.measures import AFTERWARDS, FIRST_CALL, PREPARING, measure_of
from arrayspeed.model.retention import NEVER
from arrayspeed.records.processes import Process, Retained
from arrayspeed.system import card
from arrayspeed.system.card import Card
from arrayspeed.system.processes import affinity, bind
from kernels import CATALOGUE

#: Seconds that a server has to import its library, and a process that ended to be reaped.
STARTING, REAPING = 300.0, 5.0

#: Processes of a side in a round that make a first call, at most, and seconds for those of all sides after the first.
FIRST_CALLS, FURTHER = 5, 1.0

#: Seconds of one side in a round beside its preparation, of a kernel's smallest size and of others: until calls are
#: steady, for its batches, and where they take page faults for those that retain freed memory.
SAMPLING, SAMPLING_LARGE = 0.7, 2.0

#: Seconds of a figure that processes measure while they prepare what they time.
FIGURE = 0.2


@dataclass(frozen=True)
class Block:
    """A benchmark and size on all its sides, the reference first: environments, or backends of one.

    Attributes
    ----------
    name
        The same for all sides and rounds; no other block has it.
    sides
        One combination a side.
    seed
        What orders are drawn from.
    first
        Rounds that are enough for the first look, where not all are needed: what does not vary by chance.
    names, handicaps
        Where sides are not told apart by their environments: a name each, and what makes its calls slower or fail
        (`benchmarks.turns`).
    cores
        Where sides differ by how many cores they may use: how many each may, by their names' order.
    passed
        Rounds that lack a side, whose values were taken away: they count for the others, and those to come are numbered
        after them.
    """

    name: str
    sides: tuple[Combination, ...]
    seed: int = 0
    first: int | None = None
    names: tuple[str, ...] = ()
    handicaps: tuple[tuple[float, int], ...] = ()
    cores: tuple[int, ...] = ()
    passed: int = 0

    def waits(self, number: int, look: int) -> bool:
        """Return whether it has enough for the first look, which is after ``look`` rounds."""
        return self.first is not None and self.first <= number < look

    def with_first(self, rounds: int | None) -> Block:
        """Return the block with other rounds that are enough for the first look."""
        return replace(self, first=rounds)

    @property
    def one(self) -> Combination:
        """The reference's combination."""
        return self.sides[0]

    @property
    def in_turn(self) -> bool:
        """Whether its sides take turns by batches."""
        return measure_of(self.one.measure).batched

    @property
    def guess(self) -> float:
        """First guess of its seconds in a round: its processes prepare at once, as far as there are cores."""
        preparing = sum(cost(one.backend) for one in self.sides)
        at_once = min(len(self.sides), len(affinity()))
        kernel = CATALOGUE.get(self.one.kernel)
        small = kernel is None or self.one.size is None or self.one.size <= kernel.small
        sampling = SAMPLING if small else SAMPLING_LARGE
        return preparing / at_once + sampling * len(self.sides) if self.in_turn else preparing

    @property
    def shares(self) -> tuple[object, ...] | None:
        """Blocks for which this is the same can be measured by the same processes; None where no process is shared."""
        one = self.one
        if not self.in_turn and one.measure not in PREPARING:
            return None
        sides = tuple((side.environment, side.backend, side.device) for side in self.sides)
        return one.benchmark.rpartition(".")[0], one.size, sides, needed_by(one), self.names

    @property
    def kept(self) -> dict[str, list[int]]:
        """The cores of each side, the first ones, where sides differ by them."""
        return {name: sorted(affinity())[:number] for name, number in zip(self.names, self.cores, strict=False)}

    @property
    def named(self) -> list[tuple[str, Combination]]:
        """Each side's name with its combination."""
        return list(zip(self.names or [one.environment for one in self.sides], self.sides, strict=True))


def block(sides: Iterable[Combination], run: str = "", seed: int = 0) -> Block:
    """Return a block named after its run and what it compares: ``run.hash``.

    Blocks of the same sides and ``run`` are one and go on. What has the same run and round was measured in that round,
    whichever block it is of (`arrayspeed.records.measures.by_round`).
    """
    sides = tuple(sides)
    one = sides[0]
    environments = sorted(side.environment for side in sides)
    text = json.dumps([one.benchmark, one.backend, one.size, one.device, environments])
    return Block(f"{run}.{hashlib.sha256(text.encode()).hexdigest()[:12]}", sides, seed)


#: What serves the players of blocks, which look at their results when they were timed.
TURNS = "benchmarks.turns"


class Forked(Player):
    """A player that a server forked; the server knows how it ended."""

    def __init__(self, name: str, pid: int, channel: socket.socket, server: Server, held: bool) -> None:
        super().__init__(name, pid, channel, held)
        self.server = server
        self.checks = server.program == TURNS
        self.cores = server.cores

    def answer(self, until: float) -> dict[str, Any]:
        """Its next line; how it ended where it ended."""
        try:
            return super().answer(until)
        except Failed as error:
            if error.kind != CRASHED:
                raise
            status = self.server.status(self.pid)
            if status is None:
                raise
            raise Failed(*failure("", status, 0)) from error


class Server:
    """A process in an environment that has imported a library and forks players: `benchmarks.turns`.

    ``program`` is another module that serves, and ``arguments`` are for it. ``cores``: those that it and its players
    may use, where they are not all.
    """

    def __init__(
        self,
        python: str,
        preload: str,
        benchmarks: str | Path,
        program: str = TURNS,
        arguments: Sequence[str] = (),
        cores: Sequence[int] | None = None,
    ) -> None:
        self.program = program
        self.cores = cores
        self.control, theirs = socket.socketpair()
        self.statuses: dict[int, int] = {}
        self.buffer = b""
        environment = {**isolated(), **({PRELOAD: preload} if preload else {})}
        with theirs:
            self.process = subprocess.Popen(
                [python, "-m", program, str(theirs.fileno()), *arguments],
                cwd=Path(benchmarks).parent,
                env=environment,
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                preexec_fn=partial(bind, 0, cores) if cores else None,
            )
        self.row("serving", STARTING)

    def row(self, key: str, timeout: float) -> dict[str, Any]:
        """Its next line that has a key; what it says of processes that ended is kept.

        Raises
        ------
        Failed
            It has ended, or says nothing in time.
        """
        while True:
            line, found, rest = self.buffer.partition(b"\n")
            if found:
                self.buffer = rest
                row: dict[str, Any] = json.loads(line)
                if "ended" in row:
                    self.statuses[row["ended"]] = row["status"]
                if key in row:
                    return row
                continue
            if not select.select([self.control], [], [], timeout)[0]:
                raise Failed("its server does not answer", TIMED_OUT)
            more = self.control.recv(2**16)
            if not more:
                raise Failed(f"its server ended with status {self.process.wait()}", CRASHED)
            self.buffer += more

    def fork(self, name: str, request: dict[str, Any]) -> Forked:
        """Return a new player.

        Raises
        ------
        Failed
            The server has ended.
        """
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                socket.send_fds(self.control, [json.dumps(request).encode()], [theirs.fileno()])
                pid = self.row("forked", STARTING)["forked"]
            except (Failed, OSError):
                ours.close()
                raise
        return Forked(name, pid, ours, self, bool(request.get("held")))

    def status(self, pid: int) -> int | None:
        """Return how a player ended; None where that is not known."""
        with suppress(Failed, OSError):
            while pid not in self.statuses:
                self.row("ended", REAPING)
        return self.statuses.get(pid)

    def end(self) -> None:
        """Kill it; Linux kills what it forked."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.control.close()


def never(block: Block) -> str:
    """Take times in the allocator's usual state alone."""
    return NEVER


class Round:
    """One round: servers of its own, and the processes that they fork. ``retained``: when a block's sides take further
    turns, in which they retain freed memory (`Interleaving`).
    """

    def __init__(
        self,
        session: Session,
        number: int,
        references: str,
        turns: Interleaving,
        retained: Callable[[Block], str] = never,
    ) -> None:
        self.session = session
        self.number = number
        self.references = references
        self.turns = turns
        self.retained = retained
        self.servers: dict[tuple[str, str], Server] = {}
        self.kept: dict[str, list[int]] = {}

    def play(self, gang: Sequence[Block]) -> list[list[Process]]:
        """One process of each side of blocks that share their processes (`group_by_process`), block by block."""
        lead = gang[0]
        rng = random.Random(f"{lead.seed} {lead.name} {self.number}")
        found = [self.one_by_one(lead, rng)] if lead.shares is None else self.together(gang, rng)
        return [
            [replace(process, block=block.name, round=self.number + block.passed) for process in played]
            for block, played in zip(gang, found, strict=True)
        ]

    def together(self, gang: Sequence[Block], rng: random.Random) -> list[list[Process]]:
        """Return times by turns of batches, and what the same processes measure while they prepare."""
        lead = gang[0]
        self.kept |= lead.kept
        figures = [measure for measure in PREPARING if any(block.one.measure == measure for block in gang)]
        after = [measure for measure in figures if lead.in_turn and measure in AFTERWARDS]
        before = [measure for measure in figures if measure not in after]
        handicaps = dict(zip(lead.names, lead.handicaps, strict=False))
        taken: dict[str, Samples] = {}
        players: list[Player] = []
        order = rng.sample(lead.named, len(lead.sides))
        try:
            # Before the first process is forked: one that prepares while a library is imported stays slower than one
            # that does not.
            for name, one in order:
                with self.noting(name, one, taken):
                    self.server(name, one)
            for name, one in order:
                if name in taken:
                    continue
                request: dict[str, Any] = {"handicap": handicaps.get(name)}
                if figures:
                    request |= {"figures": before, "afterwards": after, "held": FIRST_CALL.name in figures}
                self.fork(name, one, request, players, taken)
        except BaseException:
            for player in players:
                player.end()
            raise
        turns = replace(self.turns, retained=self.retained(lead), card=self.card(lead))
        taken |= interleave(players, turns, rng) if lead.in_turn else take_figures(players, turns)
        found = []
        for block in gang:
            if block.one.measure == FIRST_CALL.name:
                every = self.first_calls(block, taken, rng)
                found.append([first_call_of(one, [each[name] for each in every]) for name, one in block.named])
            else:
                of = process_of if block.in_turn else figure_of
                found.append([of(one, taken[name]) for name, one in block.named])
        return found

    def card(self, block: Block) -> Card | None:
        """Return the card that a block's sides compute on; None where they do not, or it cannot be read."""
        return card.first() if any(one.device == "gpu" for one in block.sides) else None

    def fork(
        self,
        name: str,
        combination: Combination,
        request: dict[str, Any],
        players: list[Player],
        taken: dict[str, Samples],
    ) -> None:
        """Add a new player to ``players``, or to ``taken`` why there is none."""
        with self.noting(name, combination, taken):
            players.append(self.server(name, combination).fork(name, self.request(combination) | request))

    @contextlib.contextmanager
    def noting(self, name: str, combination: Combination, taken: dict[str, Samples]) -> Iterator[None]:
        """Within, a server that has ended is why a side gives nothing: ``taken`` gets that."""
        try:
            yield
        except (Failed, OSError) as error:
            taken[name] = Samples(why=str(error), kind=CRASHED)
            self.forget(name, combination)

    def first_calls(self, block: Block, taken: dict[str, Samples], rng: random.Random) -> list[dict[str, Samples]]:
        """Return what processes gave of their first calls, side by side: those in ``taken``, and while there is time,
        and all succeed, further ones.
        """
        every = [taken]
        begun = time.monotonic()
        each = math.fsum(figure_of(one, taken[name]).value or math.inf for name, one in block.named)
        while len(every) < FIRST_CALLS and time.monotonic() - begun + each <= FURTHER:
            further: dict[str, Samples] = {}
            for name, one in rng.sample(block.named, len(block.sides)):
                players: list[Player] = []
                self.fork(name, one, {"figures": [FIRST_CALL.name], "held": True}, players, further)
                further |= take_figures(players, self.turns)
            every.append(further)
            if any(figure_of(one, further[name]).value is None for name, one in block.named):
                break
            each = (time.monotonic() - begun) / (len(every) - 1)
        return every

    def one_by_one(self, block: Block, rng: random.Random) -> list[Process]:
        """Figures of a process each, by asv."""
        found = {}
        for one in rng.sample(block.sides, len(block.sides)):
            (found[one],) = asv_processes.run_once(self.session, [one], self.session.no_results(one.environment))
        return [found[one] for one in block.sides]

    def request(self, combination: Combination) -> dict[str, Any]:
        """Return what a server is asked for."""
        return {
            "benchmark": combination.benchmark,
            "parameters": [combination.backend, combination.size, combination.device],
            "references": self.references,
        }

    def server(self, name: str, combination: Combination) -> Server:
        """Return the server of a side and its library, started when it is first needed. Every side has its own:
        processes that one server forks share its memory layout.
        """
        key = name, needed_by(combination)
        if key not in self.servers:
            env = self.session.environments[combination.environment]
            python, folder = env.find_executable("python"), self.session.benchmarks.benchmark_dir
            self.servers[key] = Server(python, key[1], folder, cores=self.kept.get(name))
        return self.servers[key]

    def forget(self, name: str, combination: Combination) -> None:
        """Drop a server that has ended."""
        if server := self.servers.pop((name, needed_by(combination)), None):
            server.end()

    def end(self) -> None:
        """End all servers, and so everything that they forked."""
        while self.servers:
            self.servers.popitem()[1].end()


def needed_by(combination: Combination) -> str:
    """Return what a server must have imported before it forks a process of a combination."""
    return needed(combination.benchmark, combination.backend)


def take_figures(players: Sequence[Player], plan: Interleaving) -> dict[str, Samples]:
    """Have players measure what they measure while they prepare, one after the other, and end them."""
    taken = {player.name: Samples() for player in players}
    with ending(players):
        for player in players:
            try:
                taken[player.name].figures = player.prepare(plan.timeout)
            except Failed as error:
                taken[player.name].fail(error)
            player.end()
    return taken


def figure_of(combination: Combination, taken: Samples) -> Process:
    """Return what one side measured while it prepared."""
    value = taken.figures.get(combination.measure)
    if isinstance(value, dict):
        return Process(combination, None, why=(why := str(value.get("failed"))), kind=class_of(why))
    if not isinstance(value, (int, float)) or not math.isfinite(value):
        return Process(combination, None, why=taken.why or f"it gave no value: {value!r}", kind=taken.kind or ERROR)
    return Process(combination, value)


def first_call_of(combination: Combination, every: Sequence[Samples]) -> Process:
    """Return the first calls of one side's processes in a round: their median, or why one of them failed."""
    found = [figure_of(combination, taken) for taken in every]
    values = [process.value for process in found if process.value is not None]
    if len(values) < len(found):
        return next(process for process in found if process.value is None)
    return Process(combination, median(values), batches=[*values], number=1) if len(values) > 1 else found[0]


def group_by_process(blocks: Iterable[Block]) -> list[list[Block]]:
    """Blocks that can be measured by the same processes together, what is timed first; the others one by one."""
    groups: dict[object, list[Block]] = {}
    for block in blocks:
        groups.setdefault(block.shares or block.name, []).append(block)
    found = []
    for group in groups.values():
        timed = [block for block in group if block.in_turn]
        others = [block for block in group if not block.in_turn]
        # A process times one thing; figures go with the first.
        found += [timed[:1] + others, *([block] for block in timed[1:])]
    return found


def guesses(blocks: Iterable[Block]) -> dict[str, float]:
    """Return the first guess of each block's seconds in a round: those that share the processes of another add little
    to it.
    """
    found: dict[str, float] = {}
    for group in group_by_process(blocks):
        found |= {block.name: FIGURE for block in group}
        found[group[0].name] = max(block.guess for block in group)
    return found


def expected(blocks: Sequence[Block], rounds: int) -> float:
    """Return the seconds that so many rounds of some blocks take, as far as they need all of them for a first look."""
    seconds = guesses(blocks)
    return sum(seconds[block.name] * min(rounds, block.first or rounds) for block in blocks)


def fits(blocks: Sequence[Block], rounds: int, seconds: float) -> bool:
    """Return whether so many rounds of some blocks are expected to take no more than so long."""
    return expected(blocks, rounds) <= seconds


def middle(values: Sequence[float]) -> float | None:
    """Return the median; None of nothing."""
    return median(values) if values else None


def process_of(combination: Combination, taken: Samples) -> Process:
    """Return what one side gave in a round."""
    batches = taken.batches if taken.value is not None else []
    number = taken.number if batches else None
    return Process(
        combination,
        taken.value,
        taken.alone,
        taken.why,
        batches=batches,
        sometimes=taken.sometimes,
        number=number,
        kind=taken.kind,
        faults=middle(taken.faults),
        cores=middle(taken.cores),
        switches=middle(taken.switches),
        retained=retained_of(taken),
        card=taken.card,
    )


def retained_of(taken: Samples) -> Retained | None:
    """Return what a process gave where it retained freed memory; None where it was not asked."""
    again = taken.retained
    if taken.value is None or again is None:
        return None
    return Retained(again.batches if again.value is not None else [], again.page_faults, again.why)


@contextlib.contextmanager
def rounds(
    session: Session, turns: Interleaving | None = None, retained: Callable[[Block], str] = never
) -> Iterator[Callable[[int], Round]]:
    """Within, a function that makes round after round: ``round(number)`` ends the one before."""
    made: list[Round] = []

    def next_round(number: int) -> Round:
        while made:
            made.pop().end()
        session.round = number
        servers.end_all()  # those of asv's own measures: processes that one server forks share its memory layout
        made.append(Round(session, number, references, turns or Interleaving(), retained))
        return made[0]

    with tempfile.TemporaryDirectory(prefix="arrayspeed-") as references, serving(session) as servers:
        try:
            yield next_round
        finally:
            while made:
                made.pop().end()


def blocks_of(ones: Iterable[Combination], environments: list[str], run: str = "", seed: int = 0) -> list[Block]:
    """Blocks of the same combination in several environments, of which the first is the reference."""
    groups = defaultdict(list)
    for one in ones:
        groups[one.benchmark, one.backend, one.size, one.device].append(one)
    return [
        block(sorted(sides, key=lambda item: environments.index(item.environment)), run, seed)
        for sides in groups.values()
        if len(sides) > 1
    ]
