"""Processes that take turns: their ratios, their faults, and that none is ever left behind."""

import itertools
import json
import math
import os
import random
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from types import SimpleNamespace

import pytest

from arrayspeed.measure import players
from arrayspeed.measure.meter import Meter
from arrayspeed.measure.players import Failed, Interleaving, Player, Spawned, Thread, interleave
from arrayspeed.system.processes import state

pytestmark = pytest.mark.clock

PLAYER = Path(__file__).parents[1] / "inside" / "player.py"
ROOT = Path(__file__).parents[2]


def player(name, seconds=1e-3, fault=""):
    return Spawned(name, [sys.executable, str(PLAYER), str(seconds), *([fault] if fault else [])])


def play(*made, plan=None, seed=1):
    return interleave(list(made), plan or Interleaving(timeout=20), random.Random(seed))


def gone(pids, seconds=10):
    """Whether processes end within some seconds; a zombie has ended."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if all(state(pid) in "ZX" for pid in pids):
            return True
        time.sleep(0.05)
    return False


def ratio(taken, item, other):
    pairs = zip(taken[item].batches, taken[other].batches, strict=True)
    return math.exp(median(math.log(b / a) for a, b in pairs))


def test_a_ratio_is_found():
    made = player("one", 1e-3), player("other", 1.5e-3)
    taken = play(*made)
    assert 1.3 < ratio(taken, "one", "other") < 1.7
    assert gone([one.pid for one in made])


def test_batches_take_about_the_same_time_whatever_a_call_takes():
    """Each side chooses its number of calls for itself, maybe in a slow spell: hence calls that are far apart."""
    taken = play(player("short", 3e-4), player("long", 3e-3))
    assert taken["short"].number > taken["long"].number > 1


def test_more_than_two_sides():
    taken = play(player("a"), player("b"), player("c", 2e-3))
    assert len({len(one.batches) for one in taken.values()}) == 1
    assert 1.6 < ratio(taken, "a", "c") < 2.5


def test_who_waits_is_stopped(monkeypatch):
    seen = []
    theirs = players.Player.batch

    def batch(self, number, timeout):
        seen.append({one.name: state(one.pid) for one in made if one is not self})
        return theirs(self, number, timeout)

    monkeypatch.setattr(players.Player, "batch", batch)
    made = [player("a"), player("b"), player("c")]
    play(*made)
    assert seen
    assert all(letter == "T" for others in seen for letter in others.values())


THREADS = "import threading, time; [threading.Thread(target=time.sleep, args=(60,)).start() for _ in range(3)]"


def test_threads_are_free_after_they_were_placed():
    made = Spawned("a", [sys.executable, "-c", THREADS])
    with players.ending([made]):
        until = time.monotonic() + 20
        while len(players.threads_of(made.pid)) < 4 and time.monotonic() < until:
            time.sleep(0.01)
        threads = players.threads_of(made.pid)
        assert len(threads) == 4
        made.stop()
        players.start(made)
        assert state(made.pid) in "SR"
        assert all(os.sched_getaffinity(thread) == os.sched_getaffinity(0) for thread in threads)


def test_threads_begin_from_their_places_and_are_free_then(monkeypatch):
    bound = []
    monkeypatch.setattr(players, "bind", lambda thread, cores: bound.append((thread, list(cores))))
    seconds = {9: 3.0, 1: 0.5, 2: 2.0, 3: 0.1}  # while it was prepared
    monkeypatch.setattr(players, "threads_of", lambda pid: {one: Thread("python", seconds[one]) for one in seconds})
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {2, 5, 7})
    ours, theirs = socket.socketpair()
    with ours, theirs:
        one = Player("a", 9, ours)
    monkeypatch.setattr(one, "go", lambda: bound.append("go"))
    players.start(one)
    assert bound[:5] == [(9, [2]), (1, [5]), (2, [7]), (3, [5]), "go"]
    assert bound[5:] == [(thread, [2, 5, 7]) for thread in (9, 1, 2, 3)]
    bound.clear()
    seconds |= {9: 3.1, 3: 0.9}
    players.start(one)
    assert dict(bound[:4]) == {9: [2], 3: [5], 1: [5], 2: [7]}, "3 has worked since, 1 and 2 have not"
    bound.clear()
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0})
    players.start(one)
    assert bound == ["go"], "with one core there is nothing to choose"


def named(names):
    """Threads that have these names."""
    return {thread: Thread(name, 0.0) for thread, name in names.items()}


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ({9: "main"}, {9: 0}),
        ({9: "main", 10: "main", 11: "main"}, {9: 0, 10: 1, 11: 1}),
        ({9: "main", 10: "pool", 11: "pool", 12: "main"}, {9: 0, 10: 1, 11: 0, 12: 1}),
        ({9: "main", 10: "pool", 11: "other", 12: "pool", 13: "other"}, {9: 0, 10: 1, 11: 1, 12: 0, 13: 0}),
    ],
)
def test_pools_begin_on_all_cores_and_other_threads_beside_the_main_one(names, expected):
    assert players.places(named(names), {}, 9, [0, 1]) == expected


@pytest.mark.parametrize(
    ("work", "expected"),
    [
        ({9: 1.0, 11: 0.9}, {9: 0, 11: 1}),  # the main thread and the second of a pool
        ({9: 1.0, 10: 0.9}, {9: 0, 10: 1}),
        ({9: 0.1, 10: 1.0, 11: 0.9}, {9: 0, 10: 1, 11: 0}),  # the main thread waits
        ({9: 1.0, 10: 0.2, 11: 0.3}, {9: 0, 10: 1, 11: 1}),  # of a pool now one, now the other
        ({9: 0.0, 10: 0.5, 11: 0.5}, {9: 0, 10: 1, 11: 0}),
    ],
)
def test_threads_that_work_begin_on_cores_of_their_own(work, expected):
    threads = named({9: "main", 10: "pool", 11: "pool"})
    found = players.places(threads, work, 9, [0, 1])
    assert found.keys() == threads.keys()
    assert {thread: found[thread] for thread in expected} == expected


WORKING = """
import threading, time
def work():
    until = time.thread_time() + 0.2
    while time.thread_time() < until:
        pass
for target, arguments in ((time.sleep, (60,)), (work, ()), (time.sleep, (60,))):
    threading.Thread(target=lambda: (target(*arguments), time.sleep(60))).start()
    time.sleep(0.3)
print("done", flush=True)
time.sleep(60)
"""


@pytest.mark.skipif(not Path("/proc/self/schedstat").exists(), reason="Linux does not count it here")
def test_what_a_thread_has_worked_is_read():
    made = Spawned("a", [sys.executable, "-c", WORKING])
    with players.ending([made]):
        assert made.worked(players.threads_of(made.pid)).keys() >= {made.pid}
        assert made.channel.recv(9)
        work = made.worked(players.threads_of(made.pid))
        busiest = max(work.keys() - {made.pid}, key=work.get)
        assert work[busiest] >= 0.2
        assert [round(work[thread], 1) for thread in work.keys() - {made.pid, busiest}] == [0.0, 0.0]


def test_a_turn_is_the_median_of_its_parts():
    values = iter([1.0, 9.0, 2.0, 3.0, 9.0])
    numbers = []
    one = SimpleNamespace(pid=0, cores=None, go=lambda: None, stop=lambda: None, worked=lambda threads: {})
    one.batch = lambda number, timeout: (numbers.append(number), next(values))[1]
    assert players.run(one, 1000, 1) == 3.0
    assert numbers == [200] * 5
    values, numbers[:] = iter([4.0, 5.0]), []
    assert players.run(one, 2, 1) == 4.5
    assert numbers == [1, 1]


def test_the_order_is_drawn_and_turned_round(monkeypatch):
    orders = []
    theirs = players.run
    monkeypatch.setattr(players, "run", lambda item, *rest: (orders.append(item.name), theirs(item, *rest))[1])
    for seed in (1, 1, *range(2, 10)):
        orders.append("|")
        play(player("a"), player("b"), plan=Interleaving(timeout=20, fewest=4, most=4), seed=seed)
    games = ["".join(part.split()) for part in "".join(orders).split("|")[1:]]
    assert games[0] == games[1], "from the seed"
    assert len({game[:2] for game in games}) == 2
    turns = [games[0][n : n + 2] for n in range(len(games[0]) - 8, len(games[0]), 2)]  # after the untimed ones
    assert all(a == b[::-1] for a, b in itertools.pairwise(turns))


def test_after_the_turns_come_as_many_batches_one_after_the_other(monkeypatch):
    order = []
    theirs = players.run
    monkeypatch.setattr(players, "run", lambda item, *rest: (order.append(item.name), theirs(item, *rest))[1])
    taken = play(player("a"), player("b"), plan=Interleaving(timeout=20, fewest=4, most=4, alone=True))
    assert [len(one.alone) for one in taken.values()] == [len(one.batches) for one in taken.values()] == [4, 4]
    assert len(order) == 2 + 8 + 8
    assert "".join(order[10:]) in ("aaaabbbb", "bbbbaaaa")


@pytest.mark.parametrize(
    ("fault", "kind", "some"),
    [("unprepared", "not available", False), ("crash", "crashed", True), ("hang", "timed out", True)],
)
def test_a_side_that_fails_does_not_take_the_other_with_it(fault, kind, some):
    made = player("good"), player("bad", fault=fault)
    taken = play(*made, plan=Interleaving(timeout=1.5))
    assert taken["bad"].kind == kind
    assert taken["bad"].why
    assert (taken["bad"].value is not None) == some
    assert taken["good"].value
    assert gone([one.pid for one in made])


def test_what_fails_now_and_then_says_so():
    taken = play(player("good"), player("bad", fault="sometimes"))
    assert taken["bad"].sometimes
    assert None in taken["bad"].batches
    assert taken["bad"].value
    assert len(taken["good"].batches) == len(taken["bad"].batches), "the n-th of both are neighbours"


def test_a_player_that_says_nonsense():
    made = Spawned("odd", [sys.executable, "-c", 'print(\'{"ready": "soon"}\', flush=True); input()'])
    with pytest.raises(Failed, match="gave no time"):
        made.ready(10)
    made.end()


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError])
def test_nothing_is_left_when_it_is_interrupted(monkeypatch, error):
    made = player("a"), player("b")
    count = iter(range(100))

    def run(*arguments):
        if next(count) == 5:
            raise error
        return 1e-3

    monkeypatch.setattr(players, "run", run)
    with pytest.raises(error):
        play(*made)
    assert gone([one.pid for one in made])


DRIVER = """
import random, sys
from arrayspeed.measure.players import Spawned, Interleaving, interleave
made = [Spawned(name, [sys.executable, {player!r}, "1e-3"]) for name in "ab"]
print(*(one.pid for one in made), flush=True)
interleave(made, Interleaving(fewest=10_000, most=10_000, longest=1e9), random.Random(1))
"""


def hear():
    """Heed what shells have background jobs ignore, and nohup."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_nothing_is_left_when_the_parent_is_killed(number):
    driver = subprocess.Popen(
        [sys.executable, "-c", DRIVER.format(player=str(PLAYER))],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=ROOT,
        preexec_fn=hear,
    )
    pids = [int(word) for word in driver.stdout.readline().split()]
    until = time.monotonic() + 20
    while time.monotonic() < until and "T" not in {state(pid) for pid in pids}:
        time.sleep(0.01)
    assert "T" in {state(pid) for pid in pids}, "one of them is stopped"
    driver.send_signal(number)
    driver.wait(20)
    assert gone(pids)


@pytest.mark.parametrize(
    ("turns", "cores", "least", "most"),
    [(0.005, 1, 7, 7), (0.02, 1, 10, 20), (0.02, 2, 7, 7), (0.4, 1, 25, 25), (0.4, 2, 25, 25)],
)
def test_turns_follow_from_noise_and_cost(monkeypatch, turns, cores, least, most):
    """A process of a second and turns of 40 ms: noise of 0.5 % is not worth many turns, noise of 40 % is worth all, and
    2 % is worth more on one core, where processes differ less.
    """
    monkeypatch.setattr(players.os, "sched_getaffinity", lambda process: set(range(cores)))
    rng = random.Random(3)
    taken = {name: players.Samples([math.exp(rng.gauss(0, turns)) * 1e-3 for _ in range(7)], 20) for name in "ab"}
    assert least <= players.wanted(taken, Interleaving(), 1.0, 0.04) <= most


def test_long_calls_take_few_turns():
    taken = {name: players.Samples([0.5, 0.5], 1) for name in "ab"}
    assert players.wanted(taken, Interleaving(), 1.0, 1.0) <= 3
    taken = {name: players.Samples([5.0], 1) for name in "ab"}
    assert players.wanted(taken, Interleaving(), 1.0, 10.0) == 1


def test_no_single_call_decides_how_many_calls_a_batch_has(monkeypatch):
    """Whatever a process said of its first calls, which may have compiled, and although a call after a stop is slow."""
    ran = []

    def run(player, number, timeout):
        ran.append((player.name, number))
        return {"long": 0.05, "short": 1e-6 + 30e-6 / number, "ends": 1e-3}[player.name]

    monkeypatch.setattr(players, "run", run)
    taken = {"long": players.Samples(number=1), "short": players.Samples(number=1), "ends": players.Samples(number=20)}
    numbers = players.calibrated([SimpleNamespace(name=name) for name in taken], taken, Interleaving())
    assert numbers.pop("short") == pytest.approx(20_000, rel=0.01)
    assert numbers == {"long": 1, "ends": 20}
    assert [name for name, _ in ran] == ["long", "short", "short", "short", "ends"]


def test_calibration_comes_to_an_end(monkeypatch):
    """Of a call that takes ever less."""
    ran = []
    monkeypatch.setattr(players, "run", lambda player, number, timeout: ran.append(number) or 1e-3 / number)
    players.calibrated([SimpleNamespace(name="a")], {"a": players.Samples()}, Interleaving())
    assert len(ran) == players.CALIBRATIONS


def test_lines_of_the_protocol_are_json():
    with subprocess.Popen([sys.executable, str(PLAYER), "1e-3"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as one:
        rows = one.communicate(b"2\n")[0].splitlines()
    assert json.loads(rows[1])["ready"] == 1e-3
    assert os.path.exists(PLAYER)


#: Programs of one and of two threads, and one that waits.
AT_WORK = "while True: pass"
AT_WORK_TWICE = (
    "import hashlib, threading\n"
    "def work():\n"
    "    while True: hashlib.sha256(bytes(10**7))\n"  # hashes without Python's lock
    "threading.Thread(target=work).start(); work()"
)
WAITING = "import time\nwhile True: time.sleep(0.002)"


def read(program):
    """What a meter reads of a program in its second half of a second."""
    process = subprocess.Popen([sys.executable, "-c", program])
    try:
        meter = Meter(process.pid)
        time.sleep(0.5)
        meter.begin()
        time.sleep(0.5)
        meter.end()
        return meter.take()
    finally:
        process.kill()
        process.wait()


def test_a_meter_reads_how_many_cores_are_busy_and_who_waits():
    def reaches(program, enough, most_cores=math.inf, most_switches=math.inf):
        """Other tests take time from a program: only what that lowers may take several looks."""
        for look in (read(program) for _ in range(20)):
            assert look.cores < most_cores and look.switches < most_switches
            if enough(look):
                return True
        return False

    assert reaches(WAITING, lambda waiting: waiting.switches > 20, most_cores=0.5)
    assert reaches(AT_WORK, lambda item: item.cores > 0.5, most_cores=1.1, most_switches=20)
    if len(os.sched_getaffinity(0)) > 1:
        assert reaches(AT_WORK_TWICE, lambda two: two.cores > 1.1)


def test_a_meter_of_a_process_that_has_ended_reads_nothing():
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    meter = Meter(process.pid)
    meter.begin()
    meter.end()
    assert meter.take() is None


def test_what_players_do_is_read_only_where_it_is_asked_for():
    for metered in (False, True):
        taken = play(player("one"), player("other"), plan=Interleaving(timeout=20, metered=metered))
        for each in taken.values():
            turns = len(each.batches) if metered else 0
            assert (len(each.cores), len(each.switches)) == (turns, turns)
            assert all(cores > 0 for cores in each.cores)
