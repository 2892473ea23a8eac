"""How asv_runner times a call, changed where its own way would make numbers wrong.

tests/test_timing.py fails where one of the changes is lost.
"""

from __future__ import annotations

from collections.abc import Callable

from asv_runner.benchmarks.time import TimeBenchmark

from benchmarks.stack import with_room

_param_bound_func = TimeBenchmark._param_bound_func
_benchmark_timing = TimeBenchmark.benchmark_timing


def call_of(benchmark: TimeBenchmark, *parameters) -> Callable:
    """What is timed: the call that a benchmark's method would make, and not the method.

    asv_runner calls the method through a function of its own. The two add 0.1 µs, half as much as NumPy takes for ten
    elements; and TensorFlow, which notes Python's stack at every eager operation, up to 30 frames of it, pays for both.
    """
    instance = getattr(benchmark.func, "__self__", None)
    calls = getattr(instance, "calls", dict)()
    return calls.get(benchmark.func.__name__) or _param_bound_func(benchmark, *parameters)


def mend() -> None:
    """Change asv_runner in this process."""
    # asv_runner times single calls wherever there is a setup, and repeats the setup before each. The kernels are pure
    # and their setup returns at once when its call is ready, so calls are batched: at 1,000 elements a single call is
    # mostly the clock's own cost.
    TimeBenchmark._setup_isolates_timed_calls = False
    TimeBenchmark._param_bound_func = call_of
    TimeBenchmark.benchmark_timing = with_room(_benchmark_timing)
