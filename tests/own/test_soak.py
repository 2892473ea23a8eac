"""Long processes: a leak of 200 bytes a call is found, caches are none, and calls that become slower are."""

import sys
from xml.etree import ElementTree

import numpy as np
import pytest

from arrayspeed.cli.main import main
from arrayspeed.decide.soak import (
    COUNTED,
    LEAKS,
    MARGIN,
    NO_LEAK,
    SLOWER,
    STEADY,
    UNCLEAR,
    Drift,
    Memory,
    Slope,
    confirmed,
    differ,
    drift,
    memory,
)
from arrayspeed.own import soak_shown
from arrayspeed.own.script import read
from arrayspeed.own.sides import Ready, Side
from arrayspeed.own.soak import FEWEST, Taken, judged, soaks
from support import schema

LIMITS = (1.05, 1.25)


def taken_of(resident, counted=None, seconds=1e-4, step=1000):
    """Readings every so many calls."""
    number = len(resident)
    times = seconds if isinstance(seconds, list) else [seconds] * number
    calls = [step * (place + 1) for place in range(number)]
    return Taken(calls, list(resident), list(counted or [None] * number), times)


def shown(resident, counted=None):
    """What is shown of one side's memory."""
    one = taken_of(resident, counted)
    return judged(("bench_x", None), (one, one), LIMITS, "").memories[1].verdict


RNG = np.random.default_rng(0)
FLAT = [50_000_000 + int(each) for each in RNG.integers(0, 40_000, 60)]
LINE = [50_000_000 + 200_000 * place for place in range(60)]  # 200 bytes a call
FILLS = [50_000_000 + 20_000_000 * min(place, 25) // 25 for place in range(60)]
JUMPS = [50_000_000 + 4_000_000 * (place > 45) for place in range(60)]


@pytest.mark.parametrize(
    ("resident", "counted", "verdict"),
    [
        (FLAT, FLAT, NO_LEAK),
        (LINE, LINE, LEAKS),
        (FILLS, FILLS, NO_LEAK),  # a cache, full before the later half
        (FLAT, LINE, LEAKS),  # into memory that was free
        (LINE, FLAT, LEAKS),  # by an allocator of its own
        (LINE, None, LEAKS),
        (FLAT, None, NO_LEAK),
        (JUMPS, FLAT, UNCLEAR),  # once is no leak, and no proof that there is none
        ([None] * 60, None, UNCLEAR),
        (LINE[::-1], FLAT, NO_LEAK),
    ],
)
def test_memory_that_grows_to_the_end_is_a_leak(resident, counted, verdict):
    assert shown(resident, counted) == verdict


def test_growth_that_caches_reach_is_none():
    assert memory(Slope(100, 90, 110), None, MARGIN // 120).verdict == NO_LEAK
    assert memory(Slope(100, 90, 110), None, MARGIN // 80).verdict == LEAKS
    assert memory(Slope(0, -9, 9), Slope(100, 100, 100), COUNTED // 50).verdict == LEAKS
    assert memory(Slope(100, 90, 110), None, MARGIN // 100).verdict == UNCLEAR
    assert memory(None, None, 10).verdict == UNCLEAR


def test_what_leaks_on_both_sides_is_not_worse():
    none, leak = Memory(NO_LEAK, Slope(0, 0, 0), 100), Memory(LEAKS, Slope(200, 190, 210), 100)
    larger, unknown = Memory(LEAKS, Slope(400, 390, 410), 100), Memory(UNCLEAR, Slope(9, -9, 99), 100)
    assert differ(none, leak, 1.05) is differ(leak, larger, 1.05) is True
    assert differ(leak, leak, 1.05) is differ(leak, none, 1.05) is differ(unknown, none, 1.05) is False
    assert differ(none, unknown, 1.05) is differ(unknown, leak, 1.05) is None


def test_calls_that_become_slower_are_found_whatever_the_machine_does():
    machine = np.exp(0.3 * np.sin(np.linspace(0, 9, 60)))
    noise = [np.exp(0.03 * RNG.standard_normal(60)) for _ in range(2)]
    old = list(1e-4 * machine * noise[0])
    slow = list(1e-4 * machine * noise[1] * np.linspace(1, 2, 60))
    found = drift(old, slow, *LIMITS)
    assert found.verdict == SLOWER and found.low < 2 < found.high
    assert drift(old, list(1e-4 * machine * noise[1]), *LIMITS).verdict == STEADY
    assert drift(slow, old, *LIMITS).verdict == STEADY  # it becomes faster
    wild = list(1e-4 * np.exp(1.0 * RNG.standard_normal(60)))
    assert drift(old, wild, *LIMITS).verdict != SLOWER
    with pytest.raises(ValueError, match="three"):
        drift([1.0], [1.0], *LIMITS)


def test_two_pairs_of_processes_confirm_what_becomes_slower():
    slower, steady = Drift(SLOWER, 2.0, 1.5, 2.5), Drift(STEADY, 1.0, 0.9, 1.1)
    unclear = Drift(UNCLEAR, 1.2, 0.8, 1.8)
    assert confirmed(slower, Drift(SLOWER, 1.8, 1.4, 2.2)).ratio == 1.8
    assert confirmed(slower, steady) == steady
    assert confirmed(slower, unclear).verdict == UNCLEAR
    assert (confirmed(slower, unclear).low, confirmed(slower, unclear).high) == (0.8, 2.5)


@pytest.fixture
def report():
    """A function that leaks on the new side, and one that fails."""
    leaks = judged(("bench_leak", 10), (taken_of(FLAT, FLAT), taken_of(LINE, LINE)), LIMITS, "")
    few = judged(("bench_<few>", None), (taken_of(FLAT[:5]), taken_of(FLAT[:5])), LIMITS, "")
    return soak_shown.Report("mine.py, 1 → 2", ("1", "2"), 5, 1.05, "here", [leaks, few])


def test_a_leak_is_shown_everywhere(report):
    data = schema.read("soak", soak_shown.as_json(report))
    assert data["exit_status"] == report.status == 1
    assert [each["worse"] for each in data["functions"]] == [True, False]
    assert "2 leaks in leak(10)" in report.headline
    assert f"too few readings, 5 of {FEWEST}" in data["functions"][1]["failed"]
    markdown = soak_shown.as_markdown(report)
    assert "leaks: 200 B a call" in markdown and "&lt;few&gt;" in markdown
    page = soak_shown.as_page(report)
    assert page.count("<svg") == 4 and "<script" not in page and "<few>" not in page
    picture = page[page.index("<svg") : page.index("</svg>") + 6]
    title = ElementTree.fromstring(picture).find("title").text
    assert title.startswith("leak(10): the process's own memory over calls: 1 from ")


def test_the_exit_status_of_a_quiet_soak():
    quiet = judged(("bench_x", None), (taken_of(FLAT, FLAT), taken_of(FLAT, FLAT)), LIMITS, "")
    both = judged(("bench_x", None), (taken_of(LINE, LINE), taken_of(LINE, LINE)), LIMITS, "")
    for found in (quiet, both):
        assert soak_shown.Report("", ("1", "2"), 5, 1.05, "here", [found]).status == 0
    said = soak_shown.Report("x", ("1", "2"), 5, 1.05, "here", [both]).headline
    assert said == "x: 1 leaks in x; 2 leaks in x."


FILE = """
import functools, itertools, os, random, re, sys, time

LEAK, count, kept, memo, ring = os.environ["LEAK"] == "1", itertools.count(), [], {}, [None] * 1000
begun = time.perf_counter()

def bench_keeps_200_bytes():
    if LEAK:
        kept.append(bytearray(140))  # with its object and its place in the list

def bench_memo():
    return memo.setdefault(next(count) % 5000, "x" * 20)

@functools.lru_cache(maxsize=2000)
def cached(n):
    return [n] * 5

def bench_lru():
    return len(cached(next(count)))

def bench_allocates_and_frees():
    return len(bytearray(random.randrange(1, 3_000_000)))

class Node:
    pass

def bench_cycles():
    a, b = Node(), Node()
    a.b, b.a = b, a

def bench_dicts():
    return len({n: str(n) for n in range(500)})

def bench_ring():
    ring[next(count) % 1000] = bytes(random.randrange(1000))

def bench_strings():
    return "".join(map(str, range(200)))

def bench_exception():
    try:
        raise ValueError("no")
    except ValueError as error:
        return str(error)

def bench_patterns():
    return re.compile(f"a{next(count) % 700}").pattern

def bench_interned():
    return sys.intern(f"name{next(count) % 300}")

def bench_fails_late():
    if time.perf_counter() - begun > 3 and LEAK:
        raise RuntimeError("enough")
"""


@pytest.fixture
def both(tmp_path):
    """A file, and two sides of which the new one leaks."""
    path = tmp_path / "mine.py"
    path.write_text(FILE)
    sides = [
        Ready(Side(name, variables=(("LEAK", leak),)), sys.executable) for name, leak in (("old", "0"), ("new", "1"))
    ]
    return read(path), tuple(sides)


@pytest.mark.seconds
def test_a_function_that_keeps_200_bytes_a_call_is_found_and_ten_that_keep_none_are_not(both):
    names = [each for each in FILE.split() if each.startswith("bench_") and each != "bench_fails_late():"]
    items = [(each.partition("(")[0], None) for each in names]
    assert len(items) == 11
    leaking, *others = soaks(*both, items, 0.5, 60, LIMITS, print)
    assert leaking.leaks == (False, True) and leaking.worse(1.05)
    assert 150 < leaking.memories[1].slope.value < 260
    for each in others:
        assert each.leaks == (False, False), each.name
        assert not each.failed


@pytest.mark.seconds
def test_what_fails_after_thousands_of_calls_says_when_and_where(both):
    (one,) = soaks(*both, [("bench_fails_late", None)], 5, 60, LIMITS, print)
    assert one.failed.startswith("fails in new after ") and "RuntimeError: enough" in one.failed
    assert soak_shown.Report("", ("1", "2"), 5, 1.05, "here", [one]).status == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["numpy", "1", "2", "--soak", "5"], "--soak goes with --file"),
        (["numpy", "1", "2", "--file", "mine.py", "--soak", "0"], "--soak 0 is not valid"),
        (["numpy", "1.0", "2.0", "--import", "numpy", "--soak", "5"], "--soak goes with --file: it calls"),
    ],
)
def test_mistakes_get_one_line(arguments, said, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["upgrade", *arguments])
    assert ended.value.code == 2
    assert said in capsys.readouterr().err.splitlines()[-1]
