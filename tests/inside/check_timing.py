"""What asv_runner's loop calls, and whether its speed depends on where in Python's stack it runs."""

import gc
import inspect
import itertools
import timeit
from pathlib import Path

from asv_runner.discovery import get_benchmark_from_name

from benchmarks.stack import with_room
from kernels import BACKENDS, CATALOGUE, DEVICES

ROOT = Path(__file__).parent.parent.parent


def main():
    yield {"between": frames_between(), "frozen": gc.get_freeze_count()}
    plain, roomy = by_depth(lambda function: function), by_depth(with_room)
    yield {"plain": plain, "roomy": roomy}


def frames_between():
    """The names of Python's frames from a kernel up to timeit."""
    found = []

    def kernel(a, b):
        found.append([frame.function for frame in inspect.stack()[1:]])
        return a + b

    place = list(itertools.product(BACKENDS, CATALOGUE["add"].sizes, DEVICES)).index(("numpy", 10, "cpu"))
    benchmark = get_benchmark_from_name(ROOT / "benchmarks", f"elementwise.add_float64.time_call-{place}")
    benchmark.repeat, benchmark.number, benchmark.warmup_time = 1, 1, 0
    import kernels.elementwise.numpy as module

    module.add = kernel
    benchmark.do_setup()
    found.clear()
    benchmark.do_run()
    return found[0]


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
