"""The clock: a script as a reader would write it, which shares nothing with what it checks.

It runs in a fresh interpreter. The kernel's function and the host's inputs are the suite's; how arrays are made, how
the function is compiled and how its result is waited for is written independently, as in each library's documentation
(`kernels.backends.script`). So is the timing, here: `time.perf_counter` around a ``for`` loop at the top of a script.
"""

from __future__ import annotations

from textwrap import indent
from typing import TYPE_CHECKING

from kernels import BACKENDS, CATALOGUE
from kernels.backends import COMPANION, module
from kernels.backends.script import STATIC

if TYPE_CHECKING:
    from arrayspeed.model.combination import Combination

START = """\
import itertools
import json
import os
import sys
from functools import partial
from time import perf_counter
from types import SimpleNamespace

import numpy as np

from kernels import BACKENDS, CATALOGUE
from kernels.preparation import host_inputs, library_function, put_each


def fail(kind, error, trace):
    missing = issubclass(kind, (ImportError, NotImplementedError))
    text = f"{kind.__name__}: {error}".splitlines()[0]
    print(json.dumps({"failed": text, "kind": "not available" if missing else "error"}), flush=True)


sys.excepthook = fail
kernel = CATALOGUE[KERNEL]
inputs = [array.astype(DTYPE) if array.dtype.kind == "f" else array for array in host_inputs(kernel, SIZE)]
"""

#: Where a result may be a tuple of arrays, and a call waits for each.
SEVERAL = "several = isinstance(function(*arguments), (tuple, list))\n"

#: One call, which may compile, before any that says how long a call takes.
FIRST = "number = 1\n"

#: A process that takes turns: warm, it says how long a call takes, and then times a batch for each number that it
#: reads, after a call that is not timed, since others ran meanwhile.
TURNS = """\
number = took = 0
while took < 0.05:
    number = 2 * number or 1
    started = perf_counter()
WARM_UP
    took = perf_counter() - started
print(json.dumps({"ready": took / number}), flush=True)

for line in sys.stdin:
    for number in [1, int(line)][int(line) == 1 :]:
        started = perf_counter()
BATCH
        took = perf_counter() - started
    print(json.dumps({"seconds": took / number}), flush=True)
"""

#: The same by pyperf's loop and clock, in the process that pyperf calls a worker.
PYPERF = """\
import pyperf


def call():
    CALL


runner = pyperf.Runner()
runner.parse_args(["--worker", "--loops=1", "--values=1", "--warmups=1", "--quiet"])
for turn, line in enumerate(itertools.chain(["1"], sys.stdin)):
    runner.args.loops = int(line)
    values = runner.bench_func(f"turn {turn}", call).get_values()
    print(json.dumps({"seconds" if turn else "ready": values[0]}), flush=True)
"""


def preparation(combination: Combination) -> str:
    """Return the script up to a function and its arguments on the device."""
    kernel, backend = CATALOGUE[combination.kernel], BACKENDS[combination.backend]
    plain = backend.plain
    text = START + plain.prepare + (plain.compile if backend.compiled else STATIC)
    text += "arguments = tuple(arguments)\n" + (SEVERAL if plain.calls else "")
    assert combination.size is not None and combination.dtype is not None  # it is of a kernel
    values = {
        "KERNEL": combination.kernel,
        "BACKEND": combination.backend,
        "SIZE": combination.size,
        "DEVICE": combination.device,
        "DTYPE": combination.dtype,
        "STATIC": dict(kernel.static(combination.size, combination.dtype)),
    }
    return "".join(f"{name} = {value!r}\n" for name, value in values.items()) + text


def apart(text: str) -> str:
    """Return a line that runs a script's beginning as code of its own.

    Eager TensorFlow looks for the line of every frame, which takes the longer the more code the script has before that.
    With seventy lines, an addition took it ×1.13.
    """
    return f"exec(compile({text!r}, 'preparation', 'exec'))\n"


def loop(combination: Combination) -> str:
    """Return the timed loop of ``number`` calls."""
    plain = BACKENDS[combination.backend].plain
    wait = plain.wait if combination.device != "cpu" else ""
    single, several = (loop_over(f"{call}\n{wait}") for call in (plain.call, plain.calls or ""))
    if plain.calls is None:
        return single
    return f"if several:\n{indent(several, ' ' * 4)}else:\n{indent(single, ' ' * 4)}"


def imports(library: str) -> tuple[str, ...]:
    """Return what a script's interpreter may have imported before; the script imports it again, which takes no time
    then.
    """
    return tuple(dict.fromkeys(map(module, (COMPANION, library))))


def loop_over(body: str) -> str:
    """So many times."""
    return f"for _ in range(number):\n{indent(body.strip(), ' ' * 4)}\n"


def clock(combination: Combination) -> str:
    """Return the whole script of a combination; it takes turns as `arrayspeed.measure.players` has it."""
    text = loop(combination)
    return apart(preparation(combination) + FIRST + text) + TURNS.replace("WARM_UP\n", indent(text, " " * 4)).replace(
        "BATCH\n", indent(text, " " * 8)
    )


def pyperf(combination: Combination) -> str:
    """Return the same calls, timed by pyperf; of a kernel with one result."""
    return preparation(combination) + PYPERF.replace("CALL", BACKENDS[combination.backend].plain.call)
