"""What a machine can do: loops that read, write and compute, of which each rate is the best of a few.

A program for an environment with Numba, which compiles them; it imports nothing of arrayspeed. It prints a line of JSON
for each rate: ``{"what", "dtype", "cores", "bytes", "rate"}``. ``bytes`` are all that the loop works on, its working
set, and the rate is in bytes or operations a second.

``read``, ``write`` and ``triad`` (a = b + s c) follow STREAM (McCalpin, "Memory bandwidth and machine balance in
current high performance computers", 1995) and count bytes as it does: what the program asks for. Each core has a part
of the arrays to itself and passes over it again and again, so that caches are measured where it fits into one. ``fma``
multiplies and adds in registers, sixteen times for each number that it loads, two operations each.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numba
import numpy as np

#: Working sets in bytes, of all cores together: from half of a first cache to what no cache holds.
SETS = [2**power for power in range(14, 29)]

#: Trials of each loop, of which the best counts, and seconds of one at least.
TRIALS, SECONDS = 7, 0.02

#: Seconds after which threads that have just begun are each on a core of their own.
SETTLING = 0.3

#: Bytes of the numbers that ``fma`` works on, for each core: they fit into any first cache.
IN_REGISTERS = 2**13

#: Multiplications and additions for each number.
CHAIN = 16


def compiled(function: Callable[..., None]) -> Any:
    """Return a loop over the cores, compiled for sums in any order and products that are added at once."""
    return numba.njit(parallel=True, fastmath=True)(function)


@compiled
def read(arrays: Any, passes: int, sums: Any) -> None:
    """Sum one array; earlier sums are kept in part, so that no pass is left out."""
    a = arrays[0]
    for core in numba.prange(a.shape[0]):
        kept = a[core, 0] - a[core, 0]
        for _ in range(passes):
            total = a[core, 0] - a[core, 0]
            for i in range(a.shape[1]):
                total += a[core, i]
            kept = total - kept
        sums[core] = kept


@compiled
def write(arrays: Any, passes: int, sums: Any) -> None:
    """Fill one array, with another number in each pass."""
    a = arrays[0]
    for core in numba.prange(a.shape[0]):
        value = sums[core]
        for _ in range(passes):
            value += 1
            for i in range(a.shape[1]):
                a[core, i] = value


@compiled
def triad(arrays: Any, passes: int, sums: Any) -> None:
    """Add one array times a number to another; the number differs from pass to pass."""
    a, b, c = arrays
    for core in numba.prange(a.shape[0]):
        factor = sums[core]
        for _ in range(passes):
            factor += 1
            for i in range(a.shape[1]):
                a[core, i] = b[core, i] + factor * c[core, i]


@compiled
def fma(arrays: Any, passes: int, sums: Any) -> None:
    """Multiply and add, each number `CHAIN` times."""
    a, b, c = arrays
    for core in numba.prange(a.shape[0]):
        for _ in range(passes):
            for i in range(a.shape[1]):
                x, y, z = a[core, i], b[core, 0], c[core, 0]
                x = x * y + z
                x = x * y + z
                x = x * y + z
                x = x * y + z
                x = x * y + z
                x = x * y + z
                x = x * y + z
                x = x * y + z
                x = x * y + z
                x = x * y + z
                x = x * y + z
                x = x * y + z
                x = x * y + z
                x = x * y + z
                x = x * y + z
                x = x * y + z
                a[core, i] = x


def best(loop: Any, arrays: Any, work: int) -> float:
    """Return the best rate of a loop, for so much work in a pass."""
    dtype, cores = arrays[0].dtype, len(arrays[0])
    sums = np.ones(cores, dtype)
    loop(arrays, 1, sums)
    passes, took = 1, 0.0
    while took < SECONDS:
        passes = passes * 2 if took < SECONDS / 2 else round(passes * 1.2 * SECONDS / took) + 1
        started = perf_counter()
        loop(arrays, passes, sums)
        took = perf_counter() - started
    found = []
    for _ in range(TRIALS):
        started = perf_counter()
        loop(arrays, passes, sums)
        found.append(perf_counter() - started)
    return work * passes / min(found)


def settle(cores: int) -> None:
    """Have all threads work for a while."""
    until = perf_counter() + SETTLING
    while perf_counter() < until:
        triad((np.ones((cores, 1000)), np.ones((cores, 1000)), np.ones((cores, 1000))), 1000, np.ones(cores))


def say(what: str, dtype: str, cores: int, working_set: int, rate: float) -> None:
    """Print one rate."""
    print(json.dumps({"what": what, "dtype": dtype, "cores": cores, "bytes": working_set, "rate": rate}), flush=True)


def main() -> None:
    """Measure everything."""
    every = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    for cores in sorted({1, every}):
        numba.set_num_threads(cores)
        settle(cores)
        for dtype in ("float64", "float32"):
            length = IN_REGISTERS // np.dtype(dtype).itemsize
            # Products shrink towards 1, so that no number overflows or is subnormal.
            arrays = np.ones((cores, length), dtype), np.full((cores, 1), 0.5, dtype), np.full((cores, 1), 0.5, dtype)
            rate = best(fma, arrays, 2 * CHAIN * cores * length)
            say("fma", dtype, cores, cores * IN_REGISTERS, rate)
        for working_set in SETS:
            for loop, count in ((read, 1), (write, 1), (triad, 3)):
                length = working_set // 8 // count // cores
                several = tuple(np.ones((cores, length)) for _ in range(count))
                say(loop.__name__, "float64", cores, working_set, best(loop, several, 8 * count * cores * length))


if __name__ == "__main__":
    main()
