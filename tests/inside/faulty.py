"""asv's side of an audit with a fault in it: ``main(fault, "benchmark-index")``.

Each fault is made where it would be made: in what the process that measures has imported.
"""

import timeit
from functools import partial
from time import perf_counter

from arrayspeed.audit.worker import by_asv
from benchmarks import common, stack
from kernels import preparation

fail = by_asv.fail


def no_wait():
    """Calls return before their result is complete."""
    preparation.waiting = lambda function, arguments, wait: partial(function, *arguments)


def hidden_transfer():
    """Every call brings its inputs to the device."""

    def waiting(function, arguments, wait):
        import jax
        import numpy as np

        hosted = [np.asarray(array) for array in arguments]

        def call():
            result = function(*[jax.device_put(array.copy()) for array in hosted])
            wait(result)
            return result

        return call

    preparation.waiting = waiting


def single_calls():
    """Every sample is one call."""

    def one_by_one(benchmark, timer, min_repeat, max_repeat, **others):
        return [timer.timeit(1) for _ in range(max_repeat)], 1

    common.timing.TimeBenchmark.benchmark_timing = one_by_one


def compiled_again():
    """Every call compiles."""
    from kernels.backends.jax import Adapter, jax

    Adapter.compile = lambda self, function: lambda *x: jax.jit(lambda *y: function(*y))(*x)


def deep_stack():
    """The timed loop is where a chunk of Python's stack ends, as it may be wherever nobody makes room for it."""
    stack.Timer.timeit = timeit.Timer.timeit
    run = by_asv.Sampler.run
    depths = {}

    def at(depth, item):
        return item() if depth == 0 else at(depth - 1, item)

    def at_worst(sampler, **settings):
        if not depths:
            sample = partial(run, sampler, number=500, warmup_time=0, repeat=1)
            depths.update((depth, min(at(depth, sample)[0] for _ in range(3))) for depth in range(400))
        return at(max(depths, key=depths.get), partial(run, sampler, **settings))

    by_asv.Sampler.run = at_worst


def other_unit():
    """The clock counts milliseconds."""
    common._KernelBenchmark.timer = staticmethod(lambda: 1e3 * perf_counter())


def main(fault, benchmark_id):
    globals()[fault]()
    by_asv.main(benchmark_id)
