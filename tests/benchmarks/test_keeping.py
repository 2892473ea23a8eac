"""What calls keep: leaks of every kind are found, by one figure or the other, and caches that fill are none.

Each function runs in a process of its own: `tests.inside.check_keeping`.
"""

import sys
from array import array
from types import SimpleNamespace

import pytest

from arrayspeed.own.measures import KEPT, MEASURES, RESIDENT, of_pair
from arrayspeed.own.records import Record, Records
from benchmarks import keeping
from tests.conftest import inside

#: What the tool itself runs in; the functions need no other environment.
HERE = SimpleNamespace(find_executable=lambda name: sys.executable)

#: Name of a leak -> bytes that every call keeps.
SEEN_BY_GROWTH = {
    "leak_by_mmap": 8192,
    "leak_in_a_thread": 3008,
    "leak_of_another_allocator": 8000,
    "leak_of_large_blocks_of_another_allocator": 1_600_000,
    "fragments": 60_000,
}

CACHES = [
    "nothing",
    "fills_a_dictionary",
    "fills_an_lru_cache",
    "writes_to_a_list_made_at_first",
    "interns_names",
    "compiles_patterns",
    "grows_a_list_and_clears_it",
    "uses_a_buffer_again",
    "takes_a_large_block_each_time",
    "starts_threads_once",
    "keeps_the_last_thousand",
    "fills_large_blocks",
]


def kept(name):
    (found,) = inside(HERE, "check_keeping", name)
    return found


@pytest.mark.seconds
def test_a_small_leak_is_counted():
    found = kept("leak_by_malloc")
    assert 150 < found["counted"] < 300
    assert found["within"] < 100


@pytest.mark.seconds
@pytest.mark.parametrize("name", SEEN_BY_GROWTH)
def test_a_leak_makes_memory_grow_whoever_takes_it(name):
    found, least = kept(name), MEASURES[RESIDENT].threshold.least
    assert 0.9 * SEEN_BY_GROWTH[name] < found["grown"] < 2.5 * SEEN_BY_GROWTH[name]
    assert found["grown"] > 2 * max(least, found["within"]), "what is called larger"


@pytest.mark.seconds
@pytest.mark.parametrize("name", CACHES)
def test_caches_are_no_leak(name):
    found = kept(name)
    assert found["counted"] <= MEASURES[KEPT].threshold.floor
    assert found["grown"] <= max(MEASURES[RESIDENT].threshold.floor, found["within"]), "what is the same as nothing"


def growth(values, start=0):
    """What is said of readings, one after every call."""
    readings = keeping.Readings()
    readings.calls, readings.bytes = array("q", range(len(values))), array("q", values)
    readings.number = len(values)
    return readings.growth(start)


KB = 1000


@pytest.mark.parametrize(
    ("values", "start", "grown", "within"),
    [
        ([7 * KB] * 20, 0, 0, 0),
        ([n * 3 * KB for n in range(20)], 0, 3 * KB, 0),
        ([n // 2 * 6 * KB for n in range(40)], 0, 3 * KB, 0),  # a step now and then
        ([n * 3 * KB + (n % 4) * 900 * KB for n in range(40)], 0, 3 * KB, 0),  # beside what is taken and given back
        ([(n % 4) * 900 * KB for n in range(40)], 0, 0, 0),
        ([min(n, 10) * 5 * KB for n in range(60)], 12, 0, 0),  # a cache that has filled before
        ([max(n - 15, 0) * -5 * KB for n in range(20)], 0, 0, 0),
    ],
)
def test_growth_is_what_no_later_reading_takes_back(values, start, grown, within):
    assert growth(values, start) == (pytest.approx(grown), pytest.approx(within))


def test_what_happens_once_is_not_said_to_be_excluded():
    assert growth([0] * 10 + [100 * KB] * 10) == (0, 25 * KB)
    assert growth([0] * 4) == (None, None), "too few"


def test_memory_that_goes_up_and_down_has_room_for_a_leak():
    values = [0, 50, 20, 90, 10, 60, 30, 80, 40, 70]
    grown, within = growth([value * KB for value in values])
    assert 0 <= grown <= within > KB


def test_what_the_system_does_not_say_is_not_known(monkeypatch):
    monkeypatch.setattr(keeping, "resident", lambda: None)
    found = keeping.kept_by(lambda: None, 1e-6)
    assert found.counted == 0 and found.grown is found.within is None


def test_where_the_c_library_counts_nothing_memory_still_grows(monkeypatch):
    library = keeping.libc()
    if library:
        library.malloc_trim(0)
    monkeypatch.setattr(keeping, "libc", lambda: None)
    stays = []
    found = keeping.kept_by(lambda: stays.append(b"x" * 50_000), 1e-5)
    assert found.counted is None and 30_000 < found.grown < 70_000


def test_long_calls_are_not_repeated():
    assert keeping.kept_by(None, keeping.LONGEST + 1) == (None, None, None)


def test_both_figures_are_of_the_same_calls():
    calls = []
    holder = SimpleNamespace(call=lambda: calls.append(None))
    before = keeping.kept_of(holder)
    made = len(calls)
    assert keeping.kept_of(holder) is before and len(calls) == made
    holder.call = lambda: None
    assert keeping.kept_of(holder) is not before


def records(folder, *values):
    """Rounds of two sides: (grown, within) of each."""
    found = Records(folder / "mine.jsonl", "run", ["old", "new"])
    for number, pair in enumerate(values):
        found.add(
            Record(number, side, "bench_f", batches=[1.0], resident=grown, resident_within=within)
            for side, (grown, within) in zip(found.sides, pair, strict=True)
        )
    return found


def test_what_readings_cannot_tell_goes_along(tmp_path):
    """By side the median over its processes, and of both sides the larger."""
    sure, unsure = [(0.0, 100.0), (5000.0, 300.0)], [(0.0, 9000.0), (5000.0, 300.0)]
    for rounds, within in (([sure, unsure, sure], 300.0), ([unsure, sure, unsure], 9000.0)):
        rows = records(tmp_path / str(within), *rounds).of("bench_f", None, 3)
        compared = of_pair(rows, RESIDENT, "old", "new", 1.05)
        assert compared.within == within
        assert compared.differences()[0] > 1
