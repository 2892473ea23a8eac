"""What asv_runner's loop does here, apart from asv."""

import random
from statistics import median
from types import SimpleNamespace

import pytest

from benchmarks import timing
from benchmarks.batching import SHORT, choose, complaint
from tests.conftest import inside

#: Seconds of a sample, as asv_runner has it.
SAMPLE = 0.01


def test_the_loop_calls_the_kernel_itself_and_has_room_for_its_frames(newest):
    first, second, noting, third = inside(newest, "check_timing")
    # timeit's own loop, and nothing of asv's between it and the kernel, nor among the frames that TensorFlow looks at.
    for usual in first["between"], first["turns"]:
        assert usual[:2] == ["inner", "timeit"], usual
        assert set(usual[2:32]) == {"<lambda>"}
    assert "benchmark_timing" in first["between"][32:]
    # Where a call notes all frames, as few as can be.
    for fewer, usual in zip(noting.values(), (first["between"], first["turns"]), strict=True):
        assert fewer == [*usual[:2], *usual[32:]]
    assert first["frozen"] > 10_000, "a collection of everything can fall between two calls"
    # Without the room, some depth has the loop take a chunk of the stack at every call.
    assert max(second["roomy"]) < 2 * median(second["roomy"])
    assert max(second["plain"]) > 3 * median(second["plain"]), (
        "Python no longer has the flaw: is the room still needed?"
    )
    # asv_runner's own rule times single calls where a first one is slow: that is what is mended.
    assert third["theirs"] == 1, "asv_runner no longer has the flaw: is the rule of our own still needed?"
    assert third["ours"] > 100


class Fake:
    """A timer whose calls take made-up seconds: ``seconds(n)`` is what the n-th call takes."""

    def __init__(self, seconds):
        self.seconds = seconds
        self.calls = 0
        self.batches = []

    def timeit(self, number):
        took = sum(self.seconds(self.calls + n) for n in range(number))
        self.calls += number
        self.batches.append(number)
        return took


def measured(fake, repeat=(1, 20), max_time=1.0, number=0):
    """What a benchmark gets of it: samples and their number of calls."""
    benchmark = SimpleNamespace(sample_time=SAMPLE, _redo_setup_next=True, _setups=[])
    return timing.benchmark_timing(benchmark, fake, *repeat, max_time, 0.0, number, 2)


@pytest.mark.parametrize("slow", [0, 1, 2, 5, 20])
def test_slow_first_calls_do_not_switch_batching_off(slow):
    samples, number = measured(Fake(lambda n: 0.05 if n < slow else 85e-6))
    assert number * 85e-6 > SAMPLE / 4
    assert median(samples) / number == pytest.approx(85e-6)


def test_slow_spells_do_not_switch_batching_off():
    for seed in range(300):
        rng = random.Random(seed)
        spells = [(start, start + rng.randrange(1, 6)) for start in (0, *(rng.randrange(2_000) for _ in range(4)))]

        def seconds(n, spells=spells):
            return 0.05 if any(first <= n < last for first, last in spells) else 85e-6

        samples, number = measured(Fake(seconds))
        assert number > 20, seed
        assert median(samples) / number < 2 * 85e-6, seed


def test_a_machine_that_is_slow_all_the_while_gets_batches_of_its_own_speed():
    assert choose(Fake(lambda n: 1e-3).timeit, SAMPLE, 0.0).number == 10


@pytest.mark.parametrize("each", [1e-5, 1e-3, 9e-3])
def test_a_sample_takes_as_long_as_it_should(each):
    _, number = measured(Fake(lambda n: each))
    assert SAMPLE / 1.1 <= number * each <= 2 * SAMPLE


def test_calls_of_seconds_are_made_twice_and_no_more():
    fake = Fake(lambda n: 10.0)
    assert measured(fake) == ([10.0], 1)
    assert fake.batches == [1, 1]


def test_samples_are_as_many_as_asked_for():
    fake = Fake(lambda n: 1e-4)
    samples, number = measured(fake)
    assert len(samples) == 20
    assert fake.batches[-20:] == [number] * 20


def test_a_number_that_is_declared_stays():
    fake = Fake(lambda n: 1e-6)
    assert measured(fake, number=1)[1] == 1
    assert set(fake.batches) == {1}


def test_a_short_call_that_is_timed_alone_gives_no_time():
    """Slow whenever the number is chosen, fast whenever a sample is taken: no machine does that, a fault might."""
    fake = Fake(lambda n: 1e-5 if n % 4 == 3 else 0.05)
    with pytest.raises(timing.TimedAlone, match="timed alone"):
        measured(fake, repeat=(1, 1))


def test_a_short_time_of_single_calls_is_refused_where_it_is_stored():
    assert "85 µs was timed alone" in complaint(85e-6, 1)
    assert complaint(0.0, 1)
    assert complaint(85e-6, 2) is None
    assert complaint(SHORT, 1) is None
    assert complaint(None, 1) is None
    assert complaint(float("nan"), 1) is None
    assert complaint(85e-6, None) is None, "not a time of asv's loop"
