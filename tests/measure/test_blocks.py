"""Servers and the processes that they fork, the rounds that they make, and copies of a benchmark against itself."""

import json
import math
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections import defaultdict
from dataclasses import replace
from statistics import mean, median
from types import SimpleNamespace

import pytest

from arrayspeed.audit import copies
from arrayspeed.cli.copies import causes, found_as_planted, levels, read, show, status, words, wrong
from arrayspeed.decide import Decision, Looks, Observed
from arrayspeed.formats.verdicts import faults_text
from arrayspeed.measure import blocks
from arrayspeed.measure.blocks import SAMPLING, Forked
from arrayspeed.measure.looking import Limits, OutOfTime
from arrayspeed.measure.players import Failed, Interleaving, interleave
from arrayspeed.measure.progress import Rounds, cost
from arrayspeed.measure.until_decided import until_decided
from arrayspeed.model.combination import Combination
from arrayspeed.model.errors import UserError
from arrayspeed.model.retention import WHERE_FAULTS, differ
from arrayspeed.own.progress import Progress as OwnProgress
from arrayspeed.records import processes
from arrayspeed.records.processes import Process
from arrayspeed.system.processes import state
from benchmarks import turns
from support import schema
from tests.conftest import ROOT

ADD = {"benchmark": "elementwise.add_float64.time_call", "parameters": ["numpy", 1000, "cpu"], "references": None}


@pytest.fixture(scope="module")
def server(newest):
    made = blocks.Server(newest.find_executable("python"), "numpy", ROOT / "benchmarks")
    yield made
    made.end()


def played(server, *requests, plan=None):
    made = [server.fork(str(n), request) for n, request in enumerate(requests)]
    return list(interleave(made, plan or Interleaving(timeout=60), random.Random(1)).values())


def slowed(server, handicap):
    """A copy that waits longer, as a ratio to one that does not: the median of five pairs of processes, since one of
    them may meet something else that runs on the machine.
    """
    ratios = []
    for _ in range(5):
        same, slower = played(server, ADD | {"handicap": [0.0, 0]}, ADD | {"handicap": [handicap, 0]})
        assert same.number > 100, "short calls are made in batches"
        logs = [math.log(b / a) for a, b in zip(same.batches, slower.batches, strict=True)]
        ratios.append(math.exp(mean(logs)))
    return median(ratios)


@pytest.mark.clock
def test_a_copy_against_itself_and_a_slower_one(server):
    assert 1.4 < slowed(server, 1.0) < 3


@pytest.mark.clock
def test_a_copy_of_a_short_call_waits_for_its_share(server):
    assert 1.25 < slowed(server, 0.5) < 2.2


@pytest.mark.clock
def test_work_is_measured_where_the_process_runs_alone(monkeypatch):
    """While others prepare, this call takes 40 times as long, as calls of BLAS do whose threads others keep waiting."""
    alone, said = [], []

    def call():
        for _ in range(1_000 if alone else 40_000):
            pass

    monkeypatch.setattr(turns, "Prepared", lambda *_: SimpleNamespace(ready_call=lambda: (call, None), frames=0))

    def lines():
        alone.append(True)
        yield from ["200"] * 20

    def seconds(handicap):
        alone.clear()
        said.clear()
        turns.measure(ADD | {"handicap": handicap}, said.append, lines())
        assert said[0].keys() == {"ready"} and len(said) == 21
        return min(row["seconds"] for row in said[6:])  # others may disturb

    slow, usual = map(min, zip(*((seconds([0.25, 0]), seconds([0.0, 0])) for _ in range(10)), strict=True))
    assert 1.03 < slow / usual < 5, "×11 where it is measured before"


@pytest.mark.parametrize(
    ("each", "work_counts", "expected", "most"),
    [
        (50e-6, 1, 5_000, 10_000),
        (50e-6, 2, 2_500, 10_000),  # work makes the next call longer, too
        (50e-6, 100, 50, 10_000),  # as where the first amount is far too much
        (0.5, 1, 50_000_000, 10),
        (0.5, 2, 50_000_000, 10),  # and means nothing beside a long call
    ],
)
def test_the_amount_of_work_follows_from_how_much_longer_calls_are(monkeypatch, each, work_counts, expected, most):
    """Units of 1 ns, planted for a tenth."""
    calls = []
    monkeypatch.setattr(turns, "seconds_of_work", lambda units: units * 1e-9)

    def seconds(number, units):
        calls.append(number)
        return each + work_counts * units * 1e-9

    *steps, amount = turns.amounts_of_work(seconds, 0.1)
    assert amount == pytest.approx(expected, rel=1e-3)
    assert steps == [None] * (4 if each < turns.LONG_CALL else 0), "no more than the parts of one turn"
    assert sum(calls) < most


FFT = {"benchmark": "fft.fft_float64.time_call", "parameters": ["numpy", 1_000_000, "cpu"], "references": None}


def test_calls_are_timed_in_both_states_of_the_allocator(server):
    """This transform frees more than glibc keeps, in a process that has freed no block of another kind."""
    plan = Interleaving(timeout=60, fewest=1, most=1, retained=WHERE_FAULTS)
    fft, add = played(server, FFT, ADD, plan=plan)
    assert fft.faulty and not add.faulty
    assert fft.page_faults > 1000 > 100 > fft.retained.page_faults
    assert differ(fft.value, fft.page_faults, fft.retained.value, fft.retained.page_faults)
    assert add.retained.value and not add.retained.page_faults > 1
    (alone,) = played(server, ADD, plan=plan)
    assert alone.value and alone.retained is None, "no page fault, no other state"


def test_a_wrong_result_takes_its_times_away(server, monkeypatch):
    """Values are compared when the times are taken: nothing is freed before that the kernel does not free."""
    wrong, right = played(server, ADD | {"afterwards": ["track_error", "no_measure"]}, ADD)
    assert right.value and wrong.value
    assert wrong.figures["track_error"] == 0 and "failed" in wrong.figures["no_measure"]
    monkeypatch.setattr(Forked, "check", lambda player, timeout: failing(player, timeout))
    (wrong,) = played(server, ADD)
    assert wrong.value is None and wrong.kind == "wrong result"


def failing(player, timeout):
    raise Failed("WrongResult: error 1", "wrong result")


def test_page_faults_are_kept_with_a_process():
    row = processes.line(Process(combination(), 1.0, batches=[1.0], faults=1111.4))
    found = [processes.record(json.dumps(row | more).encode())[1] for more in ({}, {"faults": "many"}, {"faults": 0})]
    assert [one.faults for one in found] == [1110.0, None, 0.0]
    assert processes.page_faults(found) == 555.0
    assert processes.page_faults(found[1:2]) is None


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (None, 12.0, ""),
        (3.0, 9.0, ""),
        (0.2, 1110.0, "page faults a call: 0 → 1,110"),
        (12.0, 1.0, "page faults a call: 12 → 1"),
    ],
)
def test_page_faults_are_told_where_there_are_many(before, after, said):
    assert faults_text(before, after) == said


@pytest.mark.parametrize(
    ("change", "kind", "why"),
    [
        ({"parameters": ["cupy", 1000, "cpu"]}, "not available", "NotAvailable"),
        ({"parameters": ["numpy", 0, "cpu"]}, "error", "ValueError"),
        ({"benchmark": "elementwise.no_such.time_call"}, "error", "AttributeError"),
    ],
)
def test_what_cannot_be_prepared_says_why_in_a_line(server, change, kind, why):
    (one,) = played(server, ADD | change)
    assert (one.kind, one.value, one.batches) == (kind, None, [])
    assert one.why.startswith(why)
    assert "\n" not in one.why


def test_what_fails_now_and_then_is_told_from_what_always_fails(server):
    good, bad = played(server, ADD | {"handicap": [0.0, 0]}, ADD | {"handicap": [0.0, 50]})
    assert good.value
    assert bad.sometimes
    assert "one call in 50 fails" in bad.why


def test_a_player_that_is_killed_is_said_to_be(server):
    one = server.fork("a", ADD)
    one.ready(60)
    os.kill(one.pid, signal.SIGKILL)
    with pytest.raises(Failed, match="SIGKILL") as caught:
        one.batch(1, 10)
    assert caught.value.kind == "out of memory"
    one.end()


def test_a_server_that_is_killed_takes_its_players_along(newest):
    made = blocks.Server(newest.find_executable("python"), "numpy", ROOT / "benchmarks")
    one = made.fork("a", ADD)
    one.ready(60)
    one.stop()
    assert state(one.pid) == "T"
    made.end()
    until = time.monotonic() + 10
    while state(one.pid) not in "ZX" and time.monotonic() < until:
        time.sleep(0.02)
    assert state(one.pid) in "ZX", "a stopped process is left behind"
    with pytest.raises((Failed, OSError)):
        made.fork("b", ADD)
    one.end()


def test_an_interpreter_without_the_benchmarks_is_one_failure(tmp_path):
    with pytest.raises(Failed, match="server"):
        blocks.Server("false", "numpy", tmp_path / "benchmarks")


def combination(environment="old", size=1000, measure="time_call"):
    name = f"elementwise.add_float64.{measure}"
    return Combination(environment, name, 0, "elementwise", "add", "float64", measure, "numpy", size, "cpu")


def test_a_block_is_named_after_what_it_compares():
    old, new = combination("old"), combination("new")
    assert blocks.block([old, new]).name == blocks.block([new, old]).name
    assert len({blocks.block([old, new], token).name for token in ("", "1")}) == 2
    assert blocks.block([old, new]).name != blocks.block([combination("old", 10), combination("new", 10)]).name
    (made,) = blocks.blocks_of([new, old, combination("alone", 10)], ["old", "new", "alone"])
    assert [one.environment for one in made.sides] == ["old", "new"], "the reference first; one side is no block"


class Played:
    """Stands in for rounds: what each block's sides give in each round."""

    def __init__(self, monkeypatch, give):
        self.rounds = defaultdict(list)
        monkeypatch.setattr("arrayspeed.measure.until_decided.rounds", self.begin)
        self.give = give

    def begin(self, session, turns, retained):
        return self

    def __enter__(self):
        return lambda number: SimpleNamespace(play=lambda gang: [self.play(block, number) for block in gang])

    def __exit__(self, *error):
        return None

    def play(self, block, number):
        self.rounds[block.name].append(number)
        found = self.give(block.name, number)
        if isinstance(found, BaseException):
            raise found
        return [
            Process(one, value, round=number, block=block.name) for one, value in zip(block.sides, found, strict=True)
        ]


def made_blocks(count):
    sides = [[combination("old", n), combination("new", n)] for n in range(1, count + 1)]
    return {(one := blocks.block(pair)).name: one for pair in sides}


def measured(monkeypatch, give, count=8, **limits):
    these = made_blocks(count)
    names = list(these)
    game = Played(monkeypatch, lambda name, number: give(names.index(name), number))
    found = defaultdict(lambda: ({}, {}))

    def take(block, processes):
        for side, process in zip(found[block.name], processes, strict=True):
            side[process.round] = process.value

    decisions = until_decided(
        None,
        these,
        take,
        lambda: {name: Observed(*sides) for name, sides in found.items()},
        Limits(**limits),
        store=False,
    )
    return [decisions.get(name) for name in names], [game.rounds[name] for name in names]


class FirstCalls:
    """Stands in for the processes of two sides: what each gives of its first call, and in which order they ran."""

    def __init__(self, monkeypatch, *values):
        self.given = {name: iter(side) for name, side in zip(("old", "new"), values, strict=True)}
        self.order = []
        monkeypatch.setattr(blocks.Round, "server", lambda made, name, item: self.order.append(f"server of {name}"))
        monkeypatch.setattr(blocks.Round, "fork", self.fork)

    def fork(self, name, item, request, players, taken):
        players.append(SimpleNamespace(name=name, prepare=lambda timeout: self.prepare(name), end=lambda: None))

    def prepare(self, name):
        self.order.append(name)
        value = next(self.given[name])
        if isinstance(value, Exception):
            raise value
        return {"track_first_call": value}

    def play(self):
        sides = [
            replace(combination(name), benchmark="f.k.track_first_call", measure="track_first_call")
            for name in self.given
        ]
        ((old, new),) = blocks.Round(None, 0, "", Interleaving()).play([blocks.block(sides)])
        return old, new


def test_sides_take_turns_by_processes_while_first_calls_are_quick(monkeypatch):
    game = FirstCalls(monkeypatch, [0.06, 0.08, 0.07, 0.05, 0.30], [0.06, 0.05, 0.07, 0.08, 0.09])
    old, new = game.play()
    assert (old.value, old.batches) == (0.07, [0.06, 0.08, 0.07, 0.05, 0.30])
    assert (new.value, new.batches) == (0.07, [0.06, 0.05, 0.07, 0.08, 0.09])
    assert [f"server of {name}" for name in game.order[2:4]] == game.order[:2], "in the order that was drawn"
    pairs = [sorted(game.order[n : n + 2]) for n in range(0, len(game.order), 2)]
    assert pairs[0] == ["server of new", "server of old"], "nothing is forked while a library is imported"
    assert pairs[1:] == [["new", "old"]] * blocks.FIRST_CALLS, "the n-th of both are neighbours"


def test_slow_first_calls_are_made_once_a_round(monkeypatch):
    old, new = FirstCalls(monkeypatch, [0.6], [0.7]).play()
    assert (old.value, old.batches, new.value, new.batches) == (0.6, [], 0.7, [])


@pytest.mark.parametrize("value", [Failed("it ended"), {"failed": "RuntimeError: no"}])
@pytest.mark.parametrize("at", [0, 2])
def test_a_first_call_that_fails_is_the_rounds(monkeypatch, value, at):
    """Also one that fails after others: it is no median of those that work."""
    game = FirstCalls(monkeypatch, [0.06] * 5, [0.06] * at + [value])
    old, new = game.play()
    assert (old.value, new.value) == (0.06, None)
    assert new.why in ("it ended", "RuntimeError: no")
    assert len(game.order) == 2 + 2 * (at + 1), "no more of them"


def test_what_is_decided_gets_no_more_rounds(monkeypatch, capsys):
    # One each: in which order blocks take their turns depends on the clock.
    rngs = [random.Random(seed) for seed in range(10, 18)]
    noise = [0.01] * 6 + [0.06] * 2
    truth = [1.0] * 5 + [1.3] + [1.0, 1.3]

    def give(n, number):
        old, new = (math.exp(rngs[n].gauss(0, noise[n])) for _ in range(2))
        return 1e-3 * old, truth[n] * 1e-3 * new

    decisions, rounds = measured(monkeypatch, give)
    assert [one.verdict for one in decisions[:6]] == ["same"] * 5 + ["slower"]
    assert all(len(made) in (3, 4, 6, 8) for made in rounds[:6])
    assert decisions[7].verdict == "slower"
    assert decisions[6].verdict != "slower"
    assert len(rounds[6]) > 8
    said = capsys.readouterr().err
    assert "8 blocks, judged after 3, 4, 6, 8, 12, 16, 24, 32 rounds" in said
    assert "at most" in said
    assert "after 8 rounds: 2 slower, 5 same; 1 block left" in said


def test_ctrl_c_judges_what_there_is(monkeypatch, capsys):
    def give(n, number):
        return KeyboardInterrupt() if (n, number) == (2, 5) else (1e-3 * (1 + 0.1 * (number % 3)), 1e-3)

    decisions, _ = measured(monkeypatch, give, 4)
    assert all(one is not None for one in decisions)
    assert "stopped: what follows is decided from what has been measured" in capsys.readouterr().err


def test_ctrl_c_before_anything_was_measured_is_a_line(monkeypatch):
    with pytest.raises(UserError, match="before anything was measured"):
        measured(monkeypatch, lambda n, number: KeyboardInterrupt(), 2)


def test_the_minutes_end_the_measuring(monkeypatch, capsys):
    decisions, rounds = measured(monkeypatch, lambda n, number: (time.sleep(0.02), (1e-3, 1e-3))[1], 4, minutes=0.001)
    assert 0 < sum(map(len, rounds)) < 16
    assert "time is up" in capsys.readouterr().err
    assert all(one is None or one.verdict == "unclear" for one in decisions)


@pytest.mark.parametrize(("stopped", "last"), [(KeyboardInterrupt, False), (OutOfTime, True)])
def test_a_time_limit_is_the_last_look_and_ctrl_c_is_the_next(monkeypatch, looked, stopped, last):
    measured(monkeypatch, lambda n, number: stopped() if number == 5 else (1e-3 * (1 + 0.1 * (number % 3)), 1e-3), 4)
    assert looked == [False, False, last]


def test_what_took_least_comes_first_in_the_next_round(monkeypatch):
    order = []

    def give(n, number):
        order.append(n)
        time.sleep((0.2, 0.0, 0.1)[n])
        return 1e-3 * (1 + 0.5 * (number % 3)), 1e-3

    measured(monkeypatch, give, 3, rounds=2)
    assert order == [0, 1, 2, 1, 2, 0]


def test_rounds_of_an_earlier_run_are_not_made_again(monkeypatch):
    these = made_blocks(1)
    (name,) = these
    game = Played(monkeypatch, lambda name, number: (1e-3, 1e-3))
    sides = dict.fromkeys(range(2), 0.001), dict.fromkeys(range(2), 0.001)

    def take(block, processes):
        for side, process in zip(sides, processes, strict=True):
            side[process.round] = process.value

    until_decided(None, these, take, lambda: {name: Observed(*sides)}, Limits(rounds=4), {name: 2}, store=False)
    assert game.rounds[name] == [2]


def test_what_is_measured_already_is_not_announced(capsys):
    these = made_blocks(3)
    first, *_ = these
    seconds = dict.fromkeys((one.name for one in these.values()), 60.0)
    Rounds(these, (4, 8), seconds)
    Rounds(these, (4, 8), seconds, {first: 3, "another": 4})
    Rounds(these, (4, 4), seconds, dict.fromkeys(these, 4))
    Rounds(these, (4, 8), seconds, minutes=15)
    whole, begun, finished, limited = capsys.readouterr().err.splitlines()
    assert "about 12:00 min to the first look, 24:00 min at most" in whole
    assert "about 12:00 min to the first look, 15:00 min at most" in limited
    assert whole.startswith("3 blocks, judged")
    assert begun.startswith("3 blocks, 1 of them begun, judged")
    assert finished.endswith("about 0:00 min to the first look, 0:00 min at most")


def test_processes_prepare_at_once_on_as_many_cores_as_there_are(monkeypatch):
    made = blocks.block([combination("old"), combination("new")])
    preparing = 2 * cost(combination().backend)

    def guess(cores):
        monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(cores)))
        return made.guess - 2 * SAMPLING

    assert [guess(cores) for cores in (1, 2, 64)] == pytest.approx([preparing, preparing / 2, preparing / 2])


def test_what_shares_the_processes_of_another_takes_little_more():
    time, *figures = (
        blocks.block([combination("old", measure=name), combination("new", measure=name)])
        for name in ("time_call", "track_first_call", "track_error")
    )
    figures = [one.with_first(2) for one in figures]
    seconds = blocks.guesses([*figures, time])
    assert seconds == {time.name: time.guess} | {one.name: blocks.FIGURE for one in figures}
    assert blocks.expected([*figures, time], 4) == pytest.approx(4 * time.guess + 2 * 2 * blocks.FIGURE)


def test_progress_says_what_is_left(capsys):
    these = made_blocks(3)
    progress = Rounds(these, (4, 8), {one.name: one.guess for one in these.values()})
    progress.start(0, list(these.values()), 3)
    for one in these.values():
        progress.finish([one])
    looks = Looks(8, decisions={next(iter(these)): SimpleNamespace(verdict="same")})
    progress.look(4, looks, list(these.values())[1:])
    lines = capsys.readouterr().err.splitlines()
    assert lines[1].startswith("round 1 of 4: 3 of 3 blocks, ")
    assert lines[2].startswith("after 4 rounds: 1 same; 2 blocks left, ")


def test_what_has_all_of_its_rounds_is_not_left(capsys):
    these = made_blocks(3)
    every, some, _ = these
    progress = Rounds(these, (4, 8), dict.fromkeys((one.name for one in these.values()), 60.0), {every: 8, some: 6})
    progress.look(4, Looks(8), list(these.values()))
    assert capsys.readouterr().err.splitlines()[-1].endswith("; 2 blocks left, 6:00 min at most")
    progress.look(4, Looks(8), [these[every]])
    assert capsys.readouterr().err.splitlines()[-1] == "after 4 rounds: nothing decided"


@pytest.mark.parametrize("own", [False, True])
def test_what_is_left_ends_with_the_minutes(capsys, own):
    these = made_blocks(3)
    if own:
        progress = OwnProgress((4, 8), minutes=1)
        progress.pace = 60.0
    else:
        progress = Rounds(these, (4, 8), dict.fromkeys((one.name for one in these.values()), 60.0), minutes=1)
    progress.look(4, Looks(8), 3 if own else list(these.values()))
    said = capsys.readouterr().err.splitlines()[-1]
    assert re.search(r"; 3 (blocks|functions) left, (1:00|0:59) min at most$", said)


@pytest.mark.parametrize(
    ("busy", "failing", "verdict", "is_wrong"),
    [
        (0.0, 0, "slower", True),
        (0.0, 0, "same", False),
        (0.0, 0, "unclear", False),
        (0.25, 0, "same", True),
        (0.25, 0, "slower", False),
        (0.02, 0, "same", False),
        (0.0, 50, "same", True),
        (0.0, 50, "sometimes fails", False),
    ],
)
def test_a_word_of_a_copy_is_right_or_wrong(busy, failing, verdict, is_wrong):
    decision = SimpleNamespace(verdict=verdict, low=None, high=None)
    assert wrong(copies.Copy(combination(), busy, failing, decision, 4, [], [])) is is_wrong


@pytest.mark.parametrize(
    ("busy", "verdict", "low", "high", "is_found", "is_wrong"),
    [
        (0.1, "slower", 1.08, 1.12, True, False),
        (0.1, "slower", 1.13, 1.2, True, False),  # within 3 % of it
        (0.1, "slower", 1.02, 1.07, True, False),
        (0.1, "slower", 25.0, 31.0, False, True),
        (0.1, "slower", 1.14, 1.2, False, True),
        (0.1, "slower", 1.01, 1.06, False, True),
        (0.1, "unclear", 0.9, 1.3, False, False),
        (0.1, "unclear", 1.2, 40.0, False, True),
        (0.1, "same", 1.07, 1.11, False, True),
        (0.02, "same", 0.99, 1.04, False, False),
        (0.02, "slower", 1.4, 1.6, False, True),
        (0.0, "same", 0.99, 1.01, False, False),
        (0.0, "unclear", 1.04, 1.2, False, False),
    ],
)
def test_a_slower_copy_is_found_only_where_its_ratio_reads_what_was_planted(
    busy, verdict, low, high, is_found, is_wrong
):
    decision = Decision(verdict, math.sqrt(low * high), low, high, 4, 0, 0, 4, 4)
    copy = copies.Copy(combination(), busy, 0, decision, 4, [], [])
    assert found_as_planted(copy) is is_found
    assert wrong(copy) is is_wrong
    assert status([copy] * 20) == (1 if is_wrong else 2 if verdict == "unclear" else 0)


def test_the_table_says_what_was_planted_and_how_many_ratios_read_it(capsys):
    def slower(ratio, low, high, failing=0):
        decision = Decision("slower", ratio, low, high, 4, 0, 0, 4, 4)
        return copies.Copy(combination(), 0.0 if failing else 0.25, failing, decision, 4, [0.0, 0.0], [])

    made = [slower(1.25, 1.2, 1.3), slower(1.28, 1.2, 1.4), slower(1.5, 1.2, 1.9), slower(131, 90, 190)]
    (row,) = words(made)
    assert row[4:10] == ["3 of 4", "×1.25", "×1.390", "2 of 4, 50%", "3 of 4", "3 of 4"]
    assert levels(made) == [["×1.25", "4", *row[6:10]]]
    show(made, "json")
    shown = [
        (each["planted"], each["ratio"], each["reads_planted"])
        for each in schema.read("copies", capsys.readouterr().out)["copies"]
    ]
    assert shown == [(1.25, 1.25, True), (1.25, 1.28, True), (1.25, 1.5, True), (1.25, 131, False)]
    show(made, "table")
    assert "1 of 4 verdicts are wrong, 1 by a ratio" in " ".join(capsys.readouterr().out.split())
    (row,) = words([slower(1.0, 0.9, 1.1, failing=50)])
    assert row[4:10] == [""] * 6, "of what fails a ratio says nothing"


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        (["same"] * 20, 0),
        (["same"] * 19 + ["unclear"], 0),
        (["same", "unclear"], 2),
        (["unclear", "slower"], 1),
        ([], 2),
    ],
)
def test_a_machine_too_noisy_to_say_anything_has_not_passed(verdicts, expected):
    found = [copies.Copy(combination(), 0.0, 0, SimpleNamespace(verdict=word), 4, [], []) for word in verdicts]
    assert status(found) == expected


def copy_of(backend, busy, verdict, in_turn):
    decision = Decision(verdict, 1.0, 0.9, 1.1, 4, 0, 0, 4, 4)
    return copies.Copy(replace(combination(), backend=backend), busy, 0, decision, 4, in_turn, [])


def test_what_was_found_is_shown_again_from_its_json(tmp_path, capsys):
    """In the order of the shares; of those with little noise, how many were found."""
    quiet, loud = [0.0, 0.01, -0.01, 0.0], [0.0, 0.2, -0.2, 0.0]
    found = [
        copy_of("jax", 0.1, "slower", quiet),
        copy_of("jax", 0.1, "unclear", loud),
        copy_of("jax", 0.02, "unclear", quiet),
        copy_of("jax", 0.0, "same", quiet),
        copy_of("numpy", 0.0, "same", quiet),
    ]
    show(found, "json")
    path = tmp_path / "copies.json"
    path.write_text(capsys.readouterr().out)
    assert read(path) == found
    assert len(path.read_text().splitlines()) == len(found) + 2
    show(read(path), "markdown")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in capsys.readouterr().out.splitlines()]
    assert [row[:4] for row in rows[2:6]] == [
        ["exact", "numpy", "1", "1 same"],
        ["exact", "jax", "1", "1 same"],
        ["+2%", "jax", "1", "1 unclear"],
        ["+10%", "jax", "2", "1 slower, 1 unclear"],
    ]
    assert rows[5][4] == "1 of 1"


def process(value, **counts):
    return Process(combination(), value, **counts)


def test_what_was_counted_is_of_the_rounds_that_both_sides_have():
    reference = [process(1.0, faults=1.0, cores=1.0, switches=0.0), process(None), process(1.0, faults=2.0, cores=1.0)]
    subject = [process(2.0, faults=51.0, cores=1.0, switches=1.0), process(1.0), process(1.0, faults=9.0, cores=2.0)]
    found = copies.counted(reference, subject)
    assert found == {copies.FAULTS: [[1.0, 51.0], [2.0, 9.0]], copies.CORES: [[1.0, 1.0], [1.0, 2.0]]}
    made = replace(copy_of("numpy", 0.0, "unclear", [math.log(2), 0.0]), counted=found)
    assert made.went_along() == {
        copies.FAULTS: [50.0, 0.0],
        copies.CPU: pytest.approx([math.log(2), math.log(2)]),
        copies.FEWER: pytest.approx([0.0, -math.log(2)]),
    }


def test_halves_are_of_turns_that_both_sides_took():
    reference = [process(1.0, batches=[1.0, 1.0, None, 1.0, 1.0]), process(None, batches=[]), process(1.0)]
    subject = [process(2.0, batches=[2.0, 2.0, 9.0, 4.0, 4.0]), process(1.0, batches=[1.0]), process(None)]
    assert copies.halves(reference, subject) == [[pytest.approx(math.log(2), 1e-3), pytest.approx(math.log(4), 1e-3)]]
    assert copies.halves([process(1.0)], [process(1.0)]) == []


def test_a_process_that_keeps_its_speed_is_told_from_one_that_changes_it():
    loud = [0.02 * n * (-1) ** n for n in range(10)]
    kept = replace(copy_of("jax", 0.0, "unclear", loud), counted={}, halves=[[each, each] for each in loud])
    swapped = [[each, other] for each, other in zip(loud, reversed(loud), strict=True)]
    rows = causes([kept, replace(kept, halves=swapped)])
    assert [row[2] for row in rows] == [copies.LASTING, "none of these"]


def test_what_goes_along_with_noise_is_in_a_table(tmp_path, capsys):
    """Of exact copies above 5 %, what was counted; nothing is said of quiet ones, and of files without counts."""
    loud = [0.02 * n * (-1) ** n for n in range(10)]
    faults = [[100.0, 100.0 + 1000 * ratio] for ratio in loud]
    explained = replace(copy_of("jax", 0.0, "unclear", loud), counted={copies.FAULTS: faults})
    unexplained = replace(copy_of("numpy", 0.0, "unclear", loud), counted={copies.FAULTS: [[1.0, 1.0]] * 10})
    quiet = replace(explained, in_turn=[ratio / 100 for ratio in loud])
    show([explained, unexplained, quiet, copy_of("torch", 0.0, "unclear", loud)], "json")
    path = tmp_path / "copies.json"
    path.write_text(capsys.readouterr().out)
    kernel = combination().kernel
    assert [row[::3] + row[2:3] for row in causes(read(path))] == [
        ["jax", f"{kernel} 11%", "page faults"],
        ["numpy", f"{kernel} 11%", "none of these"],
    ]
    rows = json.loads(path.read_text())["copies"]
    rows[0]["counted"][copies.FAULTS].pop()
    path.write_text(json.dumps(rows))
    with pytest.raises(UserError, match="is not what"):
        read(path)


@pytest.mark.parametrize("text", ["", "1", '{"busy": 1}', "[1]", '[{"one": {}}]', "\0", "[" * 100_000])
def test_what_is_no_output_of_copies_is_not_shown(tmp_path, text):
    path = tmp_path / "copies.json"
    path.write_text(text)
    with pytest.raises(UserError, match="is not what `arrayspeed copies --format json` prints"):
        read(path)
    with pytest.raises(UserError, match="cannot read"):
        read(tmp_path / "absent.json")


def test_a_tool_tells_where_arrays_lie(newest):
    command = [sys.executable, ROOT / "tools" / "places.py", "add", "numpy", "--size", "1000", "--rounds", "1"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    rows = [json.loads(row) for row in done.stdout.splitlines()]
    assert [row["round"] for row in rows] == [0, 0], "two processes that take turns"
    for row in rows:
        assert row["seconds"] > 0
        assert len(set(row["inputs"])) == 2
        assert sum(row["results"].values()) == 20
        assert not {*map(int, row["results"])} & {*row["inputs"]}


def test_a_tool_tells_what_turns_are_good_for(newest, tmp_path):
    command = [sys.executable, ROOT / "tools" / "turns.py"]
    chosen = ["--kernel", "add", "--backend", "numpy", "--rounds", "3"]
    done = subprocess.run([*command, *chosen], capture_output=True, text=True, check=True)
    rows = [json.loads(row) for row in done.stdout.splitlines()]
    assert [row["round"] for row in rows] == [0, 1, 2]
    assert {len(row["logs"]) for row in rows} == {25}
    path = tmp_path / "turns.jsonl"
    path.write_text(done.stdout)
    table = subprocess.run([*command, "--read", path], capture_output=True, text=True, check=True).stdout
    assert table.splitlines()[2].startswith("| numpy | 1 | ")


def test_the_answers_of_a_server_are_json(server):
    one = server.fork("a", ADD)
    one.ready(60)
    one.channel.sendall(b"3\n")
    assert set(json.loads(one.channel.recv(1000))) == {"seconds", "faults"}
    one.end()
