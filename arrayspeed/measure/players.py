"""Processes that take turns: one runs a batch of calls while all others are stopped.

On a shared machine the speed of a program changes from second to second. Sides that meet within milliseconds see the
same machine. A side that waits is stopped (SIGSTOP), since libraries keep threads spinning for the next call. This
follows duet benchmarking (Bulej, Horký, Tůma, Farquet and Prokopec, "Duet benchmarking", 2020), which runs both sides
at once on different cores; here nothing shares a core.

Where a system cannot stop processes, or cannot tell where they run, sides take turns all the same: a side that waits
does so for a line, with whatever its libraries' threads do meanwhile (`arrayspeed.system`).

Every part of a turn begins from the same placement of threads on cores (`start`): where the system happens to have put
them makes a program several times slower or faster.

A stopped process must never be left behind. Whoever holds players ends them whatever happens (`ending`); and should
this process be killed, Linux kills the players, since each asked for that when it started (`benchmarks.preload`).
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import random
import select
import signal
import socket
import subprocess
import time
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from arrayspeed.measure.meter import Meter
from arrayspeed.model.failures import CRASHED, ERROR, NOT_AVAILABLE, TIMED_OUT, class_of
from arrayspeed.model.retention import ALWAYS, NEVER, WHERE_FAULTS, may_differ
from arrayspeed.model.text import printable
from arrayspeed.system import processes
from arrayspeed.system.card import Card
from arrayspeed.system.processes import Thread, affinity, bind, can_bind, threads_of

#: Seconds of a batch.
BATCH = 0.02

#: Parts of a turn, each begun from the same placement of threads.
PARTS = 5

#: Turns of each side: at least so many where calls are short, and at most.
FEWEST, MOST = 7, 25

#: Seconds of batches of one side in a round, where calls are too long for so many turns.
LONGEST = 1.0

#: Standard deviation of the logarithm of a ratio between rounds, beside which noise within a round does not matter:
#: about that of small calls with all threads on one core, and on several (docs/method.md).
BETWEEN_ON_ONE_CORE, BETWEEN = 0.01, 0.03

#: Untimed turns of a side, at most, from which its number of calls in a batch is taken.
CALIBRATIONS = 5

#: Turns after which a side that has failed in each of them gets no more.
HOPELESS = 3


class Failed(Exception):
    """A player gave no time. ``kind``: a class of failure; ``sometimes``: other calls of the process succeed."""

    def __init__(self, why: str, kind: str = ERROR, sometimes: bool = False) -> None:
        super().__init__(printable(why))
        self.kind = kind
        self.sometimes = sometimes


class Player:
    """A process that makes a batch of calls when it is told to.

    Parameters
    ----------
    name
        The side that it plays.
    pid
        The process; it leads a process group of its own.
    channel
        A stream socket to it: it writes lines of JSON and reads numbers of calls, as `benchmarks.turns` says.
    held
        It waits for a line before it prepares its call.

    Attributes
    ----------
    figures
        What it said that it measured while it prepared: measure -> value, or why there is none.
    faults
        Page faults of a call in its last batch; None where it does not say.
    meter
        Reads what it does while it runs; None where nobody wants to know.
    prepared
        Its threads when it had prepared its call; None before.
    checks
        Whether it looks at its results when its times are taken.
    cores
        The cores that it may use, where it may not use all that this process may; None where it may.
    """

    checks = False

    def __init__(self, name: str, pid: int, channel: socket.socket, held: bool = False) -> None:
        self.name = name
        self.pid = pid
        self.channel = channel
        self.held = held
        self.figures: dict[str, Any] = {}
        self.faults: float | None = None
        self.meter: Meter | None = None
        self.prepared: Mapping[int, Thread] | None = None
        self.cores: Collection[int] | None = None
        self.buffer = b""
        self.stopped = False
        self.ended = False

    def answer(self, until: float) -> dict[str, Any]:
        """Its next line.

        Raises
        ------
        Failed
            It has ended, says that it failed, or says nothing until ``until`` (`time.monotonic`).
        """
        while b"\n" not in self.buffer:
            left = until - time.monotonic()
            readable = left > 0 and select.select([self.channel], [], [], left)[0]
            if not readable:
                raise Failed("it was ended, because it was still running when its time was up", TIMED_OUT)
            try:
                more = self.channel.recv(2**16)
            except ConnectionError:
                more = b""
            if not more:
                raise Failed("it ended without an answer", CRASHED)
            self.buffer += more
        line, _, self.buffer = self.buffer.partition(b"\n")
        try:
            row = json.loads(line)
        except ValueError:
            return self.answer(until)  # something else that the program printed
        if not isinstance(row, dict):
            return self.answer(until)
        if "figures" in row:
            self.figures |= row["figures"]
        if "failed" in row:
            why = str(row["failed"])
            raise Failed(why, str(row.get("kind") or class_of(why)), bool(row.get("sometimes")))
        return row

    def release(self) -> None:
        """Have it prepare its call, if it waits for that."""
        if self.held:
            self.send("")
            self.held = False

    def send(self, text: str) -> None:
        """Write a line to it."""
        with suppress(OSError):  # it has ended, and its answer will say so
            self.channel.sendall(f"{text}\n".encode())

    def ready(self, timeout: float) -> float:
        """Seconds of a call, roughly, when it is prepared."""
        return self.seconds("ready", timeout)

    def batch(self, number: int, timeout: float) -> float:
        """Seconds of a call, the mean of a batch of so many made now."""
        self.send(f"{number}")
        return self.seconds("seconds", timeout)

    def prepare(self, timeout: float) -> dict[str, Any]:
        """Return what it measures while it prepares, where it has nothing to time."""
        self.release()
        self.answer(time.monotonic() + timeout)
        return self.figures

    def seconds(self, key: str, timeout: float) -> float:
        """Return the number that its next answer holds; figures come before it."""
        until = time.monotonic() + timeout
        row = self.answer(until)
        while key not in row and "figures" in row:
            row = self.answer(until)
        value = row.get(key)
        if not isinstance(value, (int, float)) or not 0 < value < math.inf:
            raise Failed(f"it gave no time: {value!r}")
        faults = row.get("faults")
        self.faults = float(faults) if isinstance(faults, (int, float)) and 0 <= faults < math.inf else None
        return float(value)

    def retain(self, timeout: float) -> float:
        """Seconds of a call, roughly, when the process retains freed memory (`benchmarks.allocator`) and is warm."""
        self.send("retain")
        return self.seconds("ready", timeout)

    def check(self, timeout: float) -> None:
        """Have it look at its result, now that its times are taken, and measure what comes after them.

        Raises
        ------
        Failed
            The result is wrong, so that its times are none.
        """
        self.send("check")
        until = time.monotonic() + timeout
        while "checked" not in self.answer(until):
            pass

    def worked(self, threads: Mapping[int, Thread]) -> dict[int, float]:
        """Seconds that each of its threads has worked since this was asked first, when it had prepared its call."""
        if self.prepared is None:
            self.prepared = threads
        nothing = Thread("", 0.0)
        return {each: now.seconds - self.prepared.get(each, nothing).seconds for each, now in threads.items()}

    def stop(self) -> None:
        """Stop it, with all of its threads, and return when it is."""
        self.stopped = True
        processes.stop(self.pid)
        if self.meter:
            self.meter.end()

    def go(self) -> None:
        """Let it run."""
        self.stopped = False
        if self.meter:
            self.meter.begin()
        processes.go(self.pid)

    def end(self) -> None:
        """Kill it and what it started; a stopped process dies of SIGKILL too."""
        if not self.ended:
            self.ended = True
            self.channel.close()
            for kill in (os.killpg, os.kill):
                with suppress(ProcessLookupError, PermissionError):
                    kill(self.pid, signal.SIGKILL)


class Spawned(Player):
    """A player that is a program of its own, started now; its standard input and output are the channel."""

    def __init__(self, name: str, command: Sequence[str], **options: Any) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            self.process = subprocess.Popen(
                command,
                stdin=theirs.fileno(),
                stdout=theirs.fileno(),
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                preexec_fn=die_with_parent,
                **options,
            )
        super().__init__(name, self.process.pid, ours)

    def end(self) -> None:
        """Kill it, and wait until it is gone."""
        super().end()
        self.process.wait()


def die_with_parent() -> None:
    """Have Linux kill the process that calls this when its parent dies."""
    from benchmarks.preload import end_with_parent

    end_with_parent()


@contextlib.contextmanager
def ending(players: Iterable[Player]) -> Iterator[None]:
    """End players whatever happens within. ``players`` may grow meanwhile."""
    try:
        yield
    finally:
        for player in players:
            player.end()


@dataclass(frozen=True)
class Interleaving:
    """How players take turns.

    ``between``: standard deviation of the logarithm of a ratio between rounds, beside which noise within a round does
    not matter. ``retained``: when there are further turns in which processes retain freed memory. ``timeout`` is
    seconds for the preparation and for each batch. ``alone``: when the turns are over, as many batches of one player
    after those of the other, to see what turns are good for. ``metered``: what players do while they run is read
    before and after each part of a turn. ``card``: where they compute, if that is an NVIDIA card; turns in which
    something slows it down are dropped.
    """

    batch: float = BATCH
    fewest: int = FEWEST
    most: int = MOST
    longest: float = LONGEST
    between: float = BETWEEN
    timeout: float = 600.0
    alone: bool = False
    metered: bool = False
    retained: str = NEVER
    card: Card | None = None


@dataclass
class Samples:
    """What one player gave: seconds a call of each of its turns, None where it failed in that turn; and why.

    ``sometimes``: it failed, and other calls of the same process succeeded. ``alone``: its batches after the turns.
    ``figures``: what it measured while it prepared. ``faults``: page faults of a call, turn by turn, where it says.
    ``retained``: what it gave in further turns, in which its process retained freed memory; None where there were none.
    ``cores`` and ``switches``: how many cores it kept busy, and context switches of its main thread in a call, turn by
    turn, where that was read. ``dropped``: the turns, by number, in which the card was slowed down, whose batches are
    None; ``card``: what was read of it after the last turn.
    """

    batches: list[float | None] = field(default_factory=list)
    faults: list[float] = field(default_factory=list)
    cores: list[float] = field(default_factory=list)
    switches: list[float] = field(default_factory=list)
    alone: list[float] = field(default_factory=list)
    figures: dict[str, Any] = field(default_factory=dict)
    number: int = 1
    why: str | None = None
    kind: str | None = None
    sometimes: bool = False
    retained: Samples | None = None
    dropped: list[int] = field(default_factory=list)
    card: dict[str, Any] | None = None

    @property
    def page_faults(self) -> float | None:
        """Page faults a call, the median of its turns; None where they were not counted."""
        return median(self.faults) if self.faults else None

    @property
    def faulty(self) -> bool:
        """Whether its page faults may make a difference to its time."""
        return may_differ(self.value, self.page_faults)

    @property
    def value(self) -> float | None:
        """Seconds a call, the median of its turns."""
        good = [batch for batch in self.batches if batch is not None]
        return median(good) if good else None

    def add(self, seconds: float, player: Player) -> None:
        """Note a turn, and what the player did meanwhile."""
        self.batches.append(seconds)
        if player.faults is not None:
            self.faults.append(player.faults)
        if player.meter and (read := player.meter.take()) and read.cores > 0:
            self.cores.append(read.cores)
            self.switches.append(read.switches * seconds)

    def drop(self, slowed: str) -> None:
        """Note a turn in which the card was slowed down: its time is none. Where all are, that is why there is none."""
        self.dropped.append(len(self.batches))
        self.batches.append(None)
        if self.value is None and self.why is None:
            self.why, self.kind = f"the card was slowed down in every turn: {slowed}", NOT_AVAILABLE
        if self.card is not None:
            self.card = {**self.card, "dropped": len(self.dropped)}

    def fail(self, error: Failed) -> None:
        """Note a failure."""
        self.why, self.kind, self.sometimes = str(error), error.kind, self.sometimes or error.sometimes


def interleave(players: Sequence[Player], plan: Interleaving, rng: random.Random) -> dict[str, Samples]:
    """Have players take turns by batches until their ratios are known well enough, and end them.

    The order is drawn, and turned round from turn to turn, so that nobody is always first. The number of turns follows
    from what a turn and a process cost and from how much turns differ (Kalibera and Jones, "Rigorous benchmarking in
    reasonable time", 2013): more than a few are wasted where rounds differ by more than turns do.
    """
    taken = {player.name: Samples() for player in players}
    started = time.monotonic()
    with ending(players):
        playing = prepared(players, taken, plan.timeout)
        rng.shuffle(playing)
        numbers = calibrated(playing, taken, plan)
        for player in playing if plan.metered else ():
            player.meter = Meter(player.pid)
        preparing = time.monotonic() - started
        playing, turn = turn_after_turn(playing, taken, numbers, plan, preparing)
        for player in playing if plan.alone else ():
            with suppress(Failed):
                taken[player.name].alone = [run(player, numbers[player.name], plan.timeout) for _ in range(turn)]
        check_results(playing, taken, plan.timeout)
        if plan.retained == ALWAYS or (plan.retained == WHERE_FAULTS and any(each.faulty for each in taken.values())):
            interleave_retaining(playing, taken, plan, preparing)
    return taken


def turn_after_turn(
    playing: list[Player],
    taken: Mapping[str, Samples],
    numbers: Mapping[str, int],
    plan: Interleaving,
    preparing: float,
) -> tuple[list[Player], int]:
    """Turn after turn, while they are worth their time; who plays on, and how many turns there were.

    ``numbers``: calls in a batch of each player. ``preparing``: seconds that it took to prepare the players.
    """
    started, turn = time.monotonic(), 0
    while playing and turn < wanted(taken, plan, preparing, (time.monotonic() - started) / max(1, turn)):
        # One whose calls are too long for more turns is done; the others go on.
        still = [player for player in playing if turn < most_turns(taken[player.name], plan)]
        for player in still if turn % 2 == 0 else still[::-1]:
            mine = taken[player.name]
            try:
                take_turn(player, mine, numbers[player.name], plan)
            except Failed as error:
                mine.batches.append(None)
                mine.fail(error)
        turn += 1
        playing = [player for player in playing if not hopeless(taken[player.name])]
    return playing, turn


def take_turn(player: Player, mine: Samples, number: int, plan: Interleaving) -> None:
    """Take one turn of a player, and note what came of it.

    Raises
    ------
    Failed
        The player failed.
    """
    if plan.card is None:
        return mine.add(run(player, number, plan.timeout), player)
    plan.card.begin()
    seconds = run(player, number, plan.timeout)
    slowed = plan.card.end()
    mine.card = plan.card.state() | ({"dropped": len(mine.dropped)} if mine.dropped else {})
    if slowed:
        return mine.drop(slowed)
    if mine.kind == NOT_AVAILABLE and mine.dropped and mine.value is None:  # until now all were dropped
        mine.why = mine.kind = None
    return mine.add(seconds, player)


def check_results(playing: Iterable[Player], taken: Mapping[str, Samples], timeout: float) -> None:
    """Have players look at their results, one after the other; a time of a wrong result is none."""
    for player in playing:
        if not player.checks:
            continue
        try:
            player.go()
            player.check(timeout)
        except Failed as error:
            taken[player.name].batches = []
            taken[player.name].fail(error)
        finally:
            player.stop()
        taken[player.name].figures = player.figures


def interleave_retaining(
    playing: Sequence[Player], taken: Mapping[str, Samples], plan: Interleaving, preparing: float
) -> None:
    """Further turns of the same processes, which retain freed memory from now on; ``taken`` gets what they gave.

    Where the C library cannot do that on some side, there are none.
    """
    again = {player.name: Samples() for player in playing if taken[player.name].value is not None}
    able = []
    for player in playing:
        if player.name not in again:
            continue
        try:
            player.go()
            again[player.name].number = number_of_calls(player.retain(plan.timeout), plan.batch)
            able.append(player)
        except Failed as error:
            if error.kind == NOT_AVAILABLE:
                return
            again[player.name].fail(error)
        finally:
            player.stop()
    numbers = calibrated(able, again, plan)
    turn_after_turn(able, again, numbers, plan, preparing)
    for name, each in again.items():
        taken[name].retained = each


def prepared(players: Sequence[Player], taken: Mapping[str, Samples], timeout: float) -> list[Player]:
    """Return the players that can play, each stopped; ``taken`` says why the others cannot.

    Those that are held prepare one after the other, since they measure something meanwhile; the others at once.
    """
    found = []
    for player in players:
        one = taken[player.name]
        player.release()
        try:
            one.number = number_of_calls(player.ready(timeout), BATCH)
            player.stop()
            found.append(player)
        except Failed as error:
            one.fail(error)
        one.figures = player.figures
    return found


def calibrated(playing: list[Player], taken: Mapping[str, Samples], plan: Interleaving) -> dict[str, int]:
    """Return calls in a batch of each player, from untimed turns: when it said that it is ready, others were at work,
    and what it said may be of a slow call. A single call after a stop is slow too, so that a number is taken from a
    turn that had at least half as many calls.
    """
    for player in list(playing):
        one = taken[player.name]
        try:
            for _ in range(CALIBRATIONS):
                before = one.number
                one.number = number_of_calls(run(player, before, plan.timeout), plan.batch)
                if one.number <= 2 * before:
                    break
        except Failed as error:
            one.fail(error)
            if not error.sometimes:
                playing.remove(player)
    return {player.name: taken[player.name].number for player in playing}


def number_of_calls(seconds: float, batch: float) -> int:
    """Return calls that take about as long as a batch."""
    return max(1, round(batch / seconds))


def run(player: Player, number: int, timeout: float) -> float:
    """Seconds of a call, from one turn of so many calls: the median of its parts, with the player stopped before and
    after each.
    """
    parts = min(PARTS, number)
    values = []
    for _ in range(parts):
        start(player)
        try:
            values.append(player.batch(number // parts, timeout))
        finally:
            player.stop()
    return median(values)


def start(player: Player) -> None:
    """Let a player run, each thread from the core of `places`, free to move from there on."""
    cores = sorted(player.cores or affinity())
    threads = threads_of(player.pid) if len(cores) > 1 and can_bind() else {}
    work = player.worked(threads)
    for thread, core in places(threads, work, player.pid, cores).items():
        bind(thread, [core])
    player.go()
    for thread in threads:
        bind(thread, cores)


def places(threads: Mapping[int, Thread], work: Mapping[int, float], main: int, cores: Sequence[int]) -> dict[int, int]:
    """Return the core from which each thread begins.

    Where a thread wakes up is where it slept. JAX hands small calls to another thread: if that sleeps on the same core,
    each call takes two switches, 40 µs for an addition of 1,000 numbers instead of 8, often in all batches.
    Processes of one program differ by ×5 for it, and those of one process from turn to turn.

    So the main thread has the first core, and the others follow, those that have worked most first, each to the core
    that has least work so far. Which thread of a pool works with the main one, or whether that waits for two, differs
    between libraries and from process to process. Threads that have not worked yet begin beside the main one, or, if
    they have a name of their own, on all cores.
    """
    beside = [*cores[1:], cores[0]]
    found, load = {}, dict.fromkeys(cores, 0.0)
    for thread in sorted(threads, key=lambda each: (each != main, -work.get(each, 0.0))):
        if thread == main or work.get(thread):
            found[thread] = cores[0] if thread == main else min(beside, key=load.__getitem__)
            load[found[thread]] += work.get(thread, 0.0)
    numbers: Counter[str] = Counter()
    for thread, (name, _) in threads.items():
        if thread not in found:
            free = beside if main in threads and name != threads[main].name else cores[1:]
            found[thread] = free[numbers[name] % len(free)]
            numbers[name] += 1
    return found


def hopeless(taken: Samples) -> bool:
    """Return whether a player has failed so often that nothing more is to be learnt, or has ended."""
    last = taken.batches[-HOPELESS:]
    dropped = len(taken.batches) - 1 in taken.dropped
    return taken.kind in (CRASHED, TIMED_OUT) or (len(last) == HOPELESS and not any(last) and not dropped)


def wanted(taken: Mapping[str, Samples], plan: Interleaving, process: float, turn: float) -> int:
    """Return how many turns are worth their time, by what is known so far.

    ``process`` and ``turn``: seconds to prepare the players, and of one turn of all of them. With a variance of w
    between turns and b between rounds, and costs c of a turn and p of a round's processes, √(w p / (b c)) turns a round
    give the smallest interval for a given time.
    """
    sides = [one.batches for one in taken.values() if one.batches]
    done = max(map(len, sides), default=0)
    # A turn is of use while there are two to compare.
    limits = sorted((most_turns(one, plan) for one in taken.values() if one.batches), reverse=True)
    most = limits[min(1, len(limits) - 1)] if limits else plan.most
    if done < min(plan.fewest, most) or len(sides) < 2:
        return min(plan.fewest, most) if len(sides) > 1 else most
    noise = max(spread(sides[0], other) for other in sides[1:])
    between = plan.between if len(affinity()) > 1 else BETWEEN_ON_ONE_CORE
    return max(done, min(most, round(noise / between * math.sqrt(process / max(turn, 1e-3)))))


def most_turns(taken: Samples, plan: Interleaving) -> int:
    """Return how many turns a player may have, by how long it takes in one."""
    each = taken.number * taken.value if taken.value else 0.0
    return max(1 if each > plan.longest else 3, min(plan.most, round(plan.longest / each))) if each else plan.most


def spread(values: Sequence[float | None], other: Sequence[float | None]) -> float:
    """Return the standard deviation of the logarithm of the ratio of neighbouring turns, by the median of its
    deviations.
    """
    logs = [math.log(b / a) for a, b in zip(values, other, strict=False) if a and b]
    if not logs:
        return 0.0
    middle = median(logs)
    return 1.4826 * median(abs(value - middle) for value in logs)
