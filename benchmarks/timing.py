"""How asv_runner times a call, changed where its own way would make numbers wrong.

tests/benchmarks/test_asv.py and tests/benchmarks/test_timing.py fail where one of the changes is lost.
"""

from __future__ import annotations

from statistics import median

from asv_runner.benchmarks.time import TimeBenchmark

from benchmarks.batching import choose, complaint, too_few
from benchmarks.stack import FRAMES, Timer

#: How often samples may turn out to hold too few calls before the benchmark fails.
ATTEMPTS = 3

_their_timing = TimeBenchmark.benchmark_timing


class TimedAlone(RuntimeError):
    """A short call that cannot be timed in batches: there is no time to store."""


def timer_of(benchmark: TimeBenchmark, *parameters) -> Timer:
    """Stands in for asv_runner's own.

    It times the call that a benchmark's method would make, and not the method: asv_runner calls that through a function
    of its own, and the two add 0.1 µs, half as much as NumPy takes for ten elements.
    """
    instance = getattr(benchmark.func, "__self__", None)
    calls = getattr(instance, "calls", dict)()
    call = calls.get(benchmark.func.__name__) or benchmark._param_bound_func(*parameters)
    frames = getattr(instance, "frames", FRAMES)
    return Timer(stmt=call, setup=benchmark.redo_setup, timer=benchmark.timer, frames=frames)


def benchmark_timing(
    benchmark: TimeBenchmark, timer, min_repeat, max_repeat, max_time, warmup_time, number, min_run_count
) -> tuple[list[float], int]:
    """Stands in for asv_runner's own, which takes the number of calls in a sample from one slow call.

    What it promises besides is as before: a warm-up, the number of samples between ``min_repeat`` and ``max_repeat``,
    no more of them after ``max_time`` seconds, and at least ``min_run_count`` calls. A ``number`` that the benchmark
    declares is left alone.

    Raises
    ------
    WrongResult
        What was timed gives a wrong result.
    TimedAlone
        A call below `benchmarks.batching.SHORT` would be timed alone.
    """
    if number:
        return _their_timing(benchmark, timer, min_repeat, max_repeat, max_time, warmup_time, number, min_run_count)
    number, made, samples = 1, 0, []

    def timeit(calls: int) -> float:
        benchmark._redo_setup_next = False
        return timer.timeit(calls)

    for _ in range(ATTEMPTS):
        batch = choose(timeit, benchmark.sample_time, warmup_time, number)
        number, made = batch.number, made + batch.calls
        left = warmup_time + max_time - batch.spent
        if left <= 0 and min_repeat <= 1 and made >= min_run_count:
            samples = [batch.last]  # a call of seconds: the last trial is the sample, as asv_runner has it
        else:
            runs = max(0, min_run_count - made)
            samples, _ = _their_timing(benchmark, timer, min_repeat, max_repeat, max(0.0, left), 0, number, runs)
        made += len(samples) * number
        if not too_few(samples, benchmark.sample_time):
            break
    if why := complaint(median(samples) / number, number):
        raise TimedAlone(why)
    verify = getattr(getattr(getattr(benchmark, "func", None), "__self__", None), "verify", None)
    if verify:
        verify()
    return samples, number


def mend() -> None:
    """Change asv_runner in this process."""
    # asv_runner times single calls wherever there is a setup, and repeats the setup before each. The kernels are pure
    # and their setup returns at once when its call is ready, so calls are batched: at 1,000 elements a single call is
    # mostly the clock's own cost.
    TimeBenchmark._setup_isolates_timed_calls = False
    TimeBenchmark._get_timer = timer_of
    TimeBenchmark.benchmark_timing = benchmark_timing
