"""What asv_runner's loop calls, how many calls it takes for a sample, and whether its speed depends on where in
Python's stack it runs.
"""

import gc
import inspect
import itertools
import time
import timeit
from dataclasses import replace
from pathlib import Path

from asv_runner.discovery import get_benchmark_from_name

from benchmarks import timing
from benchmarks.stack import with_room
from benchmarks.turns import Prepared, batch_timer
from kernels import BACKENDS, CATALOGUE, DEVICES

ROOT = Path(__file__).parent.parent.parent


def main():
    yield {"between": frames_between(), "turns": frames_of_turns(), "frozen": gc.get_freeze_count()}
    plain, roomy = by_depth(lambda function: function), by_depth(with_room)
    yield {"plain": plain, "roomy": roomy}
    BACKENDS["numpy"] = replace(BACKENDS["numpy"], notes_stack=True)
    yield {"between": frames_between(), "turns": frames_of_turns()}
    yield {"ours": number_after_slow_calls(), "theirs": number_after_slow_calls(theirs=True)}


def frames_between():
    """The names of Python's frames from a kernel up to timeit."""
    found = []

    def kernel(a, b):
        found.append([frame.function for frame in inspect.stack()[1:]])
        return a + b

    benchmark = numpy_addition(kernel, repeat=1, number=1, warmup_time=0)
    found.clear()
    benchmark.do_run()
    return found[0]


def frames_of_turns():
    """The same where processes take turns."""
    import kernels.elementwise.numpy as module

    found = []
    module.add = lambda a, b: (found.append([frame.function for frame in inspect.stack()[1:]]), a + b)[1]
    prepared = Prepared("elementwise.add_float64.time_call", ["numpy", 10, "cpu"])
    call, clock = prepared.ready_call()
    found.clear()
    batch_timer(call, clock, prepared.frames)(1)
    return found[0]


def numpy_addition(kernel, **attributes):
    """asv's benchmark of a kernel in the place of NumPy's addition, set up."""
    import kernels.elementwise.numpy as module

    module.add = kernel
    place = list(itertools.product(BACKENDS, CATALOGUE["add"].sizes, DEVICES)).index(("numpy", 10, "cpu"))
    name = f"elementwise.add_float64.time_call-{place}"
    benchmark = get_benchmark_from_name(ROOT / "benchmarks", name, extra_params=attributes)
    benchmark.do_setup()
    return benchmark


def number_after_slow_calls(theirs=False):
    """Calls in a sample of a short kernel that is slow twice before it is fast."""
    left = []

    def kernel(a, b):
        if left:
            time.sleep(left.pop())
        return a + b

    benchmark = numpy_addition(kernel, repeat=1)
    if theirs:
        benchmark.benchmark_timing = timing._their_timing.__get__(benchmark)
    left += [0.2, 0.2]  # one is as long as the warm-up, after which asv_runner believes it
    return benchmark.do_run()["number"]


def by_depth(wrap):
    """Seconds of a call of three frames, at many depths of the stack."""

    def inner(a, b, c, d):
        return a

    def middle(a, b, c, d):
        return inner(a, b, c, d)

    def call():
        return middle(1, 2, 3, 4)

    timed = wrap(lambda: min(timeit.repeat(call, number=2000, repeat=5)) / 2000)

    def at(depth):
        return timed() if depth == 0 else at(depth - 1)

    return [at(depth) for depth in range(200)]
