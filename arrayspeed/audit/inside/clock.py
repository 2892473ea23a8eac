"""An independent clock: ``timeit`` in processes, a loop and a wait of its own. ``python -m … BACKEND DEVICE``.

Nothing of asv is used, nor the wait of the adapters. The library is imported once; each line of input, ``KERNEL SIZE``,
is measured in a process forked for it, as asv's is, and answered with its seconds a call; and with those of a loop
of plain Python in the same process, which no library can make slower.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from statistics import median

from arrayspeed.audit.inside import say
from benchmarks.preload import preload
from benchmarks.stack import Timer
from kernels import BACKENDS
from kernels.preparation import Prepared, load

#: Seconds of one sample, of the warm-up before them, and of all of them together.
SAMPLE, WARM_UP, TOTAL = 0.02, 0.1, 1.0

#: The most samples.
SAMPLES = 20

#: Passes of the plain loop in a sample, and its samples: 0.1 s in all.
PASSES, PLAIN_SAMPLES = 100, 10


def plain_call(prepared: Prepared) -> Callable[[], object]:
    """The kernel on its arguments, with the wait as a user of the library writes it."""
    function, arguments = prepared.function, prepared.arguments
    if prepared.backend.library == "jax":
        if isinstance(function(*arguments), tuple):

            def call():
                for array in function(*arguments):
                    array.block_until_ready()

            return call
        return lambda: function(*arguments).block_until_ready()
    if prepared.device == "cpu":
        # NumPy and Numba return when they are done; PyTorch and TensorFlow too on a CPU.
        return lambda: function(*arguments)
    if prepared.backend.library == "torch":
        import torch

        def call():
            function(*arguments)
            torch.cuda.synchronize()

        return call

    if prepared.backend.library == "cupy":
        import cupy

        def call():
            function(*arguments)
            cupy.cuda.runtime.deviceSynchronize()

        return call

    # TensorFlow has no call that waits for a device alone; reading one number of the last result waits too.
    def call():
        result = function(*arguments)
        last = result[-1] if isinstance(result, (tuple, list)) else result
        last[(0,) * len(last.shape)].numpy()

    return call


def plain_loop() -> None:
    """About 100 µs of Python."""
    total = 0
    for number in range(2_000):
        total += number


def seconds(kernel: str, backend: str, size: int, device: str) -> float:
    """Seconds a call in steady state, the median of samples."""
    timer = Timer(plain_call(load(kernel, backend, size, device)))
    timer.timeit(1)
    spent = number = 0
    while spent < WARM_UP:
        number = max(1, 2 * number)
        took = timer.timeit(number)
        spent += took
    each = took / number
    number = max(1, round(SAMPLE / each))
    repeat = max(1, min(SAMPLES, int(TOTAL / (number * each))))
    return median(timer.repeat(repeat, number)) / number


def in_a_process(*arguments) -> dict:
    """What `seconds` gives in a process forked for it."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            plain = median(Timer(plain_loop).repeat(PLAIN_SAMPLES, PASSES)) / PASSES
            answer = {"seconds": seconds(*arguments), "plain": plain}
        except BaseException as error:
            answer = {"problem": f"{type(error).__name__}: {error}".splitlines()[0][:300]}
        with os.fdopen(writer, "w") as pipe:
            json.dump(answer, pipe)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else {"problem": "the process ended without a word"}


def main(backend: str, device: str) -> None:
    """Answer each line of input."""
    preload(backend if backend == "torch-compile" else BACKENDS[backend].library)
    say({"ready": backend})
    for line in sys.stdin:
        kernel, size = line.split()
        say(in_a_process(kernel, backend, int(size), device))


if __name__ == "__main__":
    main(*sys.argv[1:3])
