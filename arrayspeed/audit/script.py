"""The clock: a script as a reader would write it, which shares nothing with what it checks.

It runs in a fresh interpreter. The kernel's function and the host's inputs are the suite's; how arrays are made, how
the function is compiled, how its result is waited for and how all of it is timed is written here independently, as in
each library's documentation: `time.perf_counter` around a ``for`` loop at the top of a script.
"""

from __future__ import annotations

from textwrap import indent
from typing import TYPE_CHECKING

from kernels import BACKENDS, CATALOGUE

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

#: What every library's part does: ``function`` and ``arguments``, on the device.
NUMPY = """\
function, make = library_function(kernel, BACKENDS[BACKEND])
arguments = inputs if make is put_each else make(None, *inputs)
"""

JAX = """\
os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
if kernel.devices and DEVICE == "cpu":
    os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={max(4, SIZE)}"
import jax

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_default_matmul_precision", "highest")
function, make = library_function(kernel, BACKENDS[BACKEND])
devices = jax.devices(DEVICE)[: SIZE if kernel.devices else 1]
if make is put_each:
    arguments = [jax.device_put(array, devices[0]) for array in inputs]
else:
    arguments = make(SimpleNamespace(where=devices[0], devices=devices), *inputs)
"""

TORCH = """\
import torch

torch.backends.cuda.matmul.allow_tf32 = False
torch.backends.cudnn.allow_tf32 = False
function, make = library_function(kernel, BACKENDS[BACKEND])
device = torch.device("cuda" if DEVICE == "gpu" else "cpu")
if make is put_each:
    arguments = [torch.tensor(array, device=device) for array in inputs]
else:
    arguments = make(SimpleNamespace(where=device), *inputs)
"""

TENSORFLOW = """\
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import tensorflow as tf

tf.config.experimental.enable_tensor_float_32_execution(False)
for gpu in tf.config.list_physical_devices("GPU"):
    tf.config.experimental.set_memory_growth(gpu, True)
if DEVICE == "cpu":
    tf.config.set_visible_devices([], "GPU")
function, make = library_function(kernel, BACKENDS[BACKEND])
where = f"/{DEVICE.upper()}:0"
if make is put_each:
    with tf.device(where):
        arguments = [tf.constant(array) for array in inputs]
else:
    arguments = make(SimpleNamespace(where=where), *inputs)
"""

CUPY = """\
os.environ["CUPY_TF32"] = "0"
import cupy

function, make = library_function(kernel, BACKENDS[BACKEND])
arguments = [cupy.asarray(array) for array in inputs] if make is put_each else make(None, *inputs)
"""

MLX = """\
os.environ["MLX_ENABLE_TF32"] = "0"
import mlx.core as mx

mx.set_default_device(mx.gpu if DEVICE == "gpu" else mx.cpu)
function, make = library_function(kernel, BACKENDS[BACKEND])
dtypes = [getattr(mx, {"bool": "bool_"}.get(array.dtype.name, array.dtype.name)) for array in inputs]
if make is put_each:
    arguments = [mx.array(array, dtype) for array, dtype in zip(inputs, dtypes)]
else:
    arguments = make(None, *inputs)
mx.eval(arguments)
"""

LIBRARIES = {
    "numpy": NUMPY,
    "numba": NUMPY,
    "jax": JAX,
    "torch": TORCH,
    "tensorflow": TENSORFLOW,
    "cupy": CUPY,
    "mlx": MLX,
}

#: What a script's interpreter may have imported before; the script imports it again, which takes no time then.
IMPORTS = {
    "numpy": ("numpy",),
    "numba": ("numpy", "numba"),
    "jax": ("numpy", "jax"),
    "torch": ("numpy", "torch"),
    "tensorflow": ("numpy", "tensorflow"),
    "cupy": ("numpy", "cupy"),
    "mlx": ("numpy", "mlx.core"),
}

#: How each library's compiler is asked for; STATIC is the keyword arguments that are part of the program.
EAGER = "if STATIC:\n    function = partial(function, **STATIC)\n"
COMPILERS = {
    "jax": EAGER + "function = jax.jit(function)\n",
    "torch": "function = torch.compile(function, fullgraph=True, dynamic=False)\n" + EAGER,
    "tensorflow": EAGER + "function = tf.function(function, jit_compile=True)\n",
    "mlx": EAGER + "function = mx.compile(function)\n",
}

#: A tuple of arrays is waited for array by array: `jax.block_until_ready` takes as long as a small kernel.
SEVERAL = "several = isinstance(function(*arguments), tuple)\n"

#: One call with its wait, where results are single arrays and where they are tuples.
CALL, JAX_CALL = "function(*arguments)", "function(*arguments).block_until_ready()"
JAX_CALLS = """\
for array in function(*arguments):
    array.block_until_ready()
"""

#: MLX computes nothing before it is asked to, on every device.
MLX_CALL = "mx.eval(function(*arguments))"

#: What waits for a GPU: the library's own call, after each of the kernel's.
WAITS = {
    "torch": "torch.cuda.synchronize()",
    "tensorflow": "tf.test.experimental.sync_devices()",
    "cupy": "cupy.cuda.runtime.deviceSynchronize()",
}

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


def preparation(one: Combination) -> str:
    """The script up to a function and its arguments on the device."""
    kernel, backend = CATALOGUE[one.kernel], BACKENDS[one.backend]
    text = START + LIBRARIES[backend.library]
    text += COMPILERS[backend.library] if backend.compiled else EAGER
    text += "arguments = tuple(arguments)\n" + (SEVERAL if backend.library == "jax" else "")
    values = {
        "KERNEL": one.kernel,
        "BACKEND": one.backend,
        "SIZE": one.size,
        "DEVICE": one.device,
        "DTYPE": one.dtype,
        "STATIC": dict(kernel.static(one.size, one.dtype)),
    }
    return "".join(f"{name} = {value!r}\n" for name, value in values.items()) + text


def loop(one: Combination) -> str:
    """The timed loop of ``number`` calls."""
    library = BACKENDS[one.backend].library
    if library == "jax":
        single, several = (loop_over(call) for call in (JAX_CALL, JAX_CALLS))
        return f"if several:\n{indent(several, ' ' * 4)}else:\n{indent(single, ' ' * 4)}"
    if library == "mlx":
        return loop_over(MLX_CALL)
    wait = WAITS[library] if one.device != "cpu" else ""
    return loop_over(f"{CALL}\n{wait}")


def loop_over(body: str) -> str:
    """So many times."""
    return f"for _ in range(number):\n{indent(body.strip(), ' ' * 4)}\n"


def clock(one: Combination) -> str:
    """The whole script of a combination; it takes turns as `arrayspeed.measure.players` has it."""
    text = loop(one)
    return preparation(one) + TURNS.replace("WARM_UP\n", indent(text, " " * 4)).replace(
        "BATCH\n", indent(text, " " * 8)
    )


def pyperf(one: Combination) -> str:
    """The same calls, timed by pyperf; of a kernel with one result."""
    call = {"jax": JAX_CALL, "mlx": MLX_CALL}.get(BACKENDS[one.backend].library, CALL)
    return preparation(one) + PYPERF.replace("CALL", call)
