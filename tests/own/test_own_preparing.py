"""What of a function's preparation has the machine for itself: its first call, and the rest where that is long."""

import random
import sys

import pytest

from arrayspeed.measure.players import Failed, Interleaving, Player, Samples, interleave, prepared
from arrayspeed.own import process
from arrayspeed.own.process import Part, Worker
from arrayspeed.own.script import read
from arrayspeed.own.sides import Ready, Side

pytestmark = pytest.mark.seconds

FILE = """
from pathlib import Path

calls = Path(__file__).with_suffix(".calls")


def bench_one():
    with calls.open("a") as file:
        file.write("one ")
    return 1


def bench_never():
    raise ValueError("never")
"""


class Fake(Player):
    """Notes what it is asked for."""

    def __init__(self, name, said, beside, fails=False):
        super().__init__(name, 0, None)
        self.said, self.beside, self.fails = said, beside, fails

    def begin(self, timeout):
        self.said.append(f"begin {self.name}")
        if self.fails:
            raise Failed("no")

    def go_on(self):
        self.said.append(f"on {self.name}")

    def ready(self, timeout):
        self.said.append(f"ready {self.name}")
        return 1e-3

    def stop(self):
        self.said.append(f"stop {self.name}")


def asked(*players):
    taken = {player.name: Samples() for player in players}
    return [player.name for player in prepared(players, taken, 1)], taken


def test_the_rest_is_found_out_beside_each_other():
    said = []
    assert asked(Fake("a", said, True), Fake("b", said, True))[0] == ["a", "b"]
    assert said == ["begin a", "begin b", "on a", "on b", "ready a", "stop a", "ready b", "stop b"]


def test_where_one_may_not_all_prepare_one_after_the_other():
    said = []
    asked(Fake("a", said, True), Fake("b", said, False))
    assert said == ["begin a", "begin b", "ready a", "stop a", "ready b", "stop b"]


def test_who_fails_at_once_keeps_nobody_waiting():
    said = []
    found, taken = asked(Fake("a", said, False, fails=True), Fake("b", said, True))
    assert found == ["b"] and taken["a"].why == "no"
    assert said == ["begin a", "begin b", "on b", "ready b", "stop b"]


@pytest.fixture
def worker(tmp_path):
    (tmp_path / "mine.py").write_text(FILE)
    side = Ready(Side("here", python=sys.executable), sys.executable)
    made = Worker(side, read(tmp_path / "mine.py"))
    made.load(60)
    yield made
    made.end()


def request(function):
    return {"function": function, "size": None, "memory": True, "kept": True, "values": None}


def test_one_call_is_made_before_it_waits(worker, tmp_path):
    part = Part(worker, request("bench_one"))
    part.begin(60)
    assert (tmp_path / "mine.calls").read_text().split() == ["one"]
    assert part.ready(60) > 0 and part.found["first"] > 0 and part.found["kept"] is not None
    assert len((tmp_path / "mine.calls").read_text().split()) > 10


def test_a_first_call_that_fails_says_so_and_the_next_function_works(worker):
    part = Part(worker, request("bench_never"))
    with pytest.raises(Failed, match="never"):
        part.begin(60)
    taken = interleave([Part(worker, request("bench_one"))], Interleaving(timeout=60), random.Random(1))
    assert taken["here"].value


@pytest.mark.parametrize(("brief", "beside"), [(60.0, True), (0.0, False)])
def test_a_long_first_call_keeps_the_rest_apart(worker, monkeypatch, brief, beside):
    monkeypatch.setattr(process, "BRIEF", brief)
    monkeypatch.setattr(process, "affinity", lambda: {0, 1})
    part = Part(worker, request("bench_one"))
    part.begin(60)
    assert part.beside == beside
    monkeypatch.setattr(process, "affinity", lambda: {0})
    again = Part(worker, request("bench_one"))
    part.ready(60)
    again.begin(60)
    assert not again.beside, "on one core nothing is beside anything"
