"""What each measure measures, in the newest environment. Times are compared only with each other, and widely."""

import time
from types import SimpleNamespace

import pytest

from benchmarks import keeping
from benchmarks.pipeline import Pipeline
from support.generated import NEWEST
from tests.conftest import inside


def test_work_is_spread_over_the_devices_asked_for(newest):
    *spread, last = inside(newest, "check_devices", "jax-jit")
    assert {one["size"]: one["devices"] for one in spread} == {1: 1, 2: 2, 4: 4}
    assert "64 cpu devices needed" in last["too many"]


@pytest.mark.parametrize("library", NEWEST)
def test_a_round_trip_ends_with_the_right_numbers_on_the_host(newest, library):
    outcomes = inside(newest, "check_measures", "round_trip", library)
    assert outcomes
    for outcome in outcomes:
        assert outcome["type"] == "ndarray"
        assert outcome["error"] <= outcome["allowed"]


def test_a_pipeline_begins_every_call_of_a_library_that_waits_to_be_asked():
    """Else the calls whose results are dropped would never be computed."""
    begun, finished = [], []
    adapter = SimpleNamespace(begin=begun.append, wait=finished.extend)
    queue = Pipeline()
    queue.take(SimpleNamespace(function=object, arguments=(), adapter=adapter))
    for _ in range(1_000):
        queue.call()
    assert len(begun) == 1_000
    queue.timer()
    assert finished == begun[-len(finished) :] and finished


@pytest.mark.parametrize("library", ["numpy", "jax", "torch", "mlx"])
def test_a_pipeline_waits_inside_the_clock(newest, library):
    for outcome in inside(newest, "check_measures", "pipeline", library):
        assert outcome["calls"] == 20
        assert outcome["ready"]
        assert outcome["left"] == 0


@pytest.mark.parametrize("backend", ["numpy", "numba", "jax-jit", "torch", "tensorflow-xla"])
def test_memory_of_a_call_is_about_its_result(newest, backend):
    (outcome,) = inside(newest, "check_measures", "memory", backend)
    assert 0.9 * 80e6 < outcome["bytes"] < 3 * 80e6


@pytest.mark.parametrize("library", ["numpy", "numba", "jax", "torch", "tensorflow"])
def test_what_every_call_keeps_is_seen_and_nothing_else(newest, library):
    outcomes = inside(newest, "check_measures", "kept", library)
    assert outcomes
    for outcome in outcomes:
        assert outcome["right"] < 64, "the least that matters"
        assert 180 < outcome["leaking"] < 400


@pytest.mark.seconds
@pytest.mark.parametrize(("most", "low", "high"), [(60, 0, 1_000), (10_000, 90_000, 110_000)])
def test_a_cache_that_takes_many_calls_to_fill_is_no_leak(most, low, high):
    """Calls of 5 ms are few at first: four in a window. What stays after sixty of them fills up; what goes on leaks."""
    stays = []

    def call():
        time.sleep(0.005)
        if len(stays) < most:
            stays.append(bytes(100_000))

    assert low <= keeping.kept_by(call, 0.005).counted <= high


@pytest.mark.seconds
def test_further_windows_end_in_time():
    """A leak by long calls: two calls to see how long they are, windows of one, and as many more as the time allows."""
    calls, stays = [], []

    def call():
        calls.append(1)
        stays.append(bytes(100_000))
        time.sleep(0.15)

    assert keeping.kept_by(call, 0.15).counted > 90_000
    assert keeping.WINDOWS + 2 < len(calls) <= keeping.WINDOWS + 2 + keeping.FURTHER / 0.15


@pytest.mark.clock
@pytest.mark.parametrize("backend", ["jax-jit", pytest.param("torch-compile", marks=pytest.mark.compile)])
def test_a_first_call_compiles_and_no_cache_serves_it(newest, backend):
    first, second = (inside(newest, "check_measures", "first_call", backend)[0] for _ in range(2))
    for outcome in (first, second):
        assert outcome["first"] > 10 * outcome["steady"]
        assert outcome["before"] == 0
        # What a compiler leaves on disk is the compiler having run; JAX leaves nothing.
        assert (outcome["written"] > 0) == (backend == "torch-compile")
    assert second["first"] > first["first"] / 4, "a cache served the second process"
