"""The measures apart from asv: a round trip, a pipeline, memory, leaks, and a first call that no cache serves."""

import os
import tempfile
import time

from benchmarks import common, memory
from benchmarks.pipeline import Pipeline
from kernels import BACKENDS, CATALOGUE, NotAvailable
from kernels.preparation import leaves, load


def main(what, *arguments):
    checks = {"round_trip": round_trip, "pipeline": pipeline, "memory": added, "kept": kept, "first_call": first_call}
    yield from checks[what](*arguments)


def round_trip(library):
    """The result of a round trip is the result."""
    for backend in BACKENDS.values():
        if backend.library == library:
            for kernel in ("elementwise", "fft", "normal"):
                one = CATALOGUE[kernel]
                dtype = next(iter(one.dtypes_on(backend.name, library)), None)
                try:
                    prepared = load(kernel, backend.name, 100, dtype=dtype)
                except NotAvailable:
                    continue
                prepared.verify()
                host = prepared.round_trip()
                arrays = leaves(host)
                error = max(prepared.kernel.errors(prepared.inputs, arrays, leaves(prepared.reference())))
                yield {
                    "kernel": kernel,
                    "backend": backend.name,
                    "type": type(arrays[0]).__name__,
                    "error": error,
                    "allowed": one.allowed_error(backend.name, library, prepared.dtype),
                }


def pipeline(library):
    """How many calls a timer's two readings enclose, and whether their results are complete at the second."""
    for backend in BACKENDS.values():
        if backend.library == library:
            prepared = load("matmul", backend.name, 300)
            prepared.verify()
            calls = 0

            def counted(*arguments, inner=prepared.function):
                nonlocal calls
                calls += 1
                return inner(*arguments)

            prepared.function = counted
            queue = Pipeline()
            queue.take(prepared)
            start = queue.timer()
            for _ in range(20):
                queue.call()
            last = list(queue.pending)
            seconds = queue.timer() - start
            ready = all(getattr(array, "is_ready", lambda: True)() for array in last)
            yield {
                "backend": backend.name,
                "calls": calls,
                "ready": ready,
                "left": len(queue.pending),
                "seconds": seconds,
            }


def added(backend):
    """Bytes that one call of an addition adds; its result has 80 MB."""
    yield {"bytes": memory.added_by_call(load("add", backend, 10_000_000))}


def kept(library):
    """Bytes that every call of a sum keeps, and of one that keeps a list of 200 bytes or so."""
    for backend in BACKENDS.values():
        if backend.library == library:
            prepared = common._KernelBenchmark.latest = load("sum", backend.name, 1000)
            benchmark = common._KernelBenchmark()
            benchmark.prepared, calls = prepared, []
            benchmark.call = prepared.call
            right = benchmark.track_kept(backend.name, 1000, "cpu")

            def leaking(call=prepared.call, calls=calls):
                calls.append([0] * 18)
                return call()

            benchmark.call = leaking
            yield {"backend": backend.name, "right": right, "leaking": benchmark.track_kept(backend.name, 1000, "cpu")}


def first_call(backend):
    """Seconds of the first call and of one in steady state, and whether a folder of a cache was written to."""
    prepared = load("elementwise", backend, 1000)
    with tempfile.TemporaryDirectory() as folder:
        prepared.adapter.forget_compiled(folder)
        before = len(os.listdir(folder))
        start = time.perf_counter()
        prepared.call()
        first = time.perf_counter() - start
        written = sum(len(files) for _, _, files in os.walk(folder))
    start = time.perf_counter()
    for _ in range(100):
        prepared.call()
    yield {"first": first, "steady": (time.perf_counter() - start) / 100, "before": before, "written": written}
