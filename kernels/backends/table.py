"""The backends: one entry each, which everything else reads. Imports no array library.

A new backend is one entry here, one adapter (``kernels/backends/<library>.py``) and a file in each family. What a
library needs in code of its own is in its adapter's file: how it computes in `Adapter`, how it is watched in `Watch`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from kernels.backends.script import STATIC, Script

DEVICES = ("cpu", "gpu", "tpu")

#: As a setting: as many as there are cores that the process may use.
CORES = "cores"


@dataclass(frozen=True, kw_only=True)
class Backend:
    """One way to run a kernel in a library.

    Attributes
    ----------
    name
        What users and results call it.
    library
        What it is called; the name of the adapter's file, and of those of the families.
    module
        What is imported, where it is not called like the library.
    compiled
        Whether the adapter's ``compile`` is applied to the kernel.
    eager
        The backend that computes the same without its compiler; None where nothing is compiled.
    devices
        Where it can run.
    colour
        On pages and charts.
    distributions
        Names under which the library can be installed, the first of them in new environments; empty where it is the
        library's own.
    preload
        Modules that a server imports beside the library for the processes that it forks, unless their first call is
        what is measured. By name: the modules of one release are not those of another.
    settings
        What the adapter's ``settings`` must say after everything ran. None: as for ``eager``.
    script
        How a plain script calls it: `arrayspeed audit` compares times with that. None: as for ``eager``, or like NumPy.
    cost
        Seconds that a process takes beside its import, until a run has seen its own: compilation and sampling.
    audit_cost
        Seconds of a round of the audit: imports on a core or two, compilation, batches.
    pyperf
        A kernel with one result that the audit times with pyperf too, where an environment has it.
    notes_stack
        Whether each call notes the whole of Python's stack, so that it takes the longer the more callers there are.
    waits_by
        The method of an array that waits until it is complete, where an array has one.
    """

    name: str
    library: str
    module: str | None = None
    compiled: bool = False
    eager: str | None = None
    devices: tuple[str, ...] = ("cpu",)
    colour: str = "#888888"
    distributions: tuple[str, ...] = ()
    preload: tuple[str, ...] = ()
    settings: Mapping[str, str] | None = field(default=None, hash=False)
    script: Script | None = None
    cost: float = 1.5
    audit_cost: float = 5.0
    pyperf: str | None = None
    notes_stack: bool = False
    waits_by: str | None = None

    @property
    def compiles(self) -> bool:
        """Whether its first call differs from the others, because something is compiled."""
        return self.eager is not None

    @property
    def promised(self) -> Mapping[str, str]:
        """``settings``, or those of the eager form."""
        if self.settings is None and self.eager:
            return BACKENDS[self.eager].promised
        return self.settings or {}

    @property
    def plain(self) -> Script:
        """``script``, or that of the eager form, or NumPy's."""
        if self.script is None and self.eager:
            return BACKENDS[self.eager].plain
        return self.script or Script()


#: In the order in which people are shown them, and asv has them as parameters. One hue a library, from the palette of
#: Okabe and Ito, which colour-blind people can tell apart; light is eager and dark is compiled.
TABLE = (
    Backend(
        name="numpy",
        library="numpy",
        colour="#5b6770",
        cost=0.6,
        audit_cost=0.7,
        pyperf="matmul",
    ),
    # Its functions are compiled by the kernels' own files; NumPy is the same without.
    Backend(
        name="numba",
        library="numba",
        eager="numpy",
        colour="#b8649a",
        settings={"threads": CORES},
        cost=1.4,
        audit_cost=3.0,
    ),
    Backend(
        name="jax",
        library="jax",
        devices=DEVICES,
        colour="#7cc0ea",
        settings={"x64": "True", "matmul_precision": "highest"},
        script=Script(
            prepare="""\
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
""",
            compile=STATIC + "function = jax.jit(function)\n",
            call="function(*arguments).block_until_ready()",
            # Array by array: `jax.block_until_ready` takes as long as a small kernel.
            calls="""\
for array in function(*arguments):
    array.block_until_ready()
""",
        ),
        cost=0.9,
        audit_cost=2.0,
        notes_stack=True,
        waits_by="block_until_ready",
    ),
    Backend(
        name="jax-jit",
        library="jax",
        compiled=True,
        eager="jax",
        devices=DEVICES,
        colour="#0067a5",
        cost=0.9,
        audit_cost=1.6,
        pyperf="add",
        notes_stack=True,
        waits_by="block_until_ready",
    ),
    Backend(
        name="torch",
        library="torch",
        devices=("cpu", "gpu"),
        colour="#f4a261",
        settings={"threads": CORES, "tf32": "False", "matmul_precision": "highest"},
        script=Script(
            prepare="""\
import torch

torch.backends.cuda.matmul.allow_tf32 = False
torch.backends.cudnn.allow_tf32 = False
function, make = library_function(kernel, BACKENDS[BACKEND])
device = torch.device("cuda" if DEVICE == "gpu" else "cpu")
if make is put_each:
    arguments = [torch.tensor(array, device=device) for array in inputs]
else:
    arguments = make(SimpleNamespace(where=device), *inputs)
""",
            compile="function = torch.compile(function, fullgraph=True, dynamic=False)\n" + STATIC,
            wait="torch.cuda.synchronize()",
        ),
        cost=0.8,
        audit_cost=0.8,
    ),
    Backend(
        name="torch-compile",
        library="torch",
        compiled=True,
        eager="torch",
        devices=("cpu", "gpu"),
        colour="#c8500a",
        # What PyTorch imports when it first compiles, twice as long as all the rest of it takes.
        preload=(
            "torch._dynamo",
            "torch._inductor.compile_fx",
            "torch._inductor.scheduler",
            "torch._inductor.codegen.cpp",
            "torch._inductor.codegen.cpp_wrapper_gpu",
            "torch._inductor.codegen.cuda_combined_scheduling",
            "torch._inductor.codegen.halide",
            "torch._inductor.codegen.mps",
            "torch._inductor.fx_passes.joint_graph",
            "torch._inductor.fx_passes.post_grad",
            "torch.export._trace",
        ),
        cost=1.6,
        audit_cost=5.0,
    ),
    Backend(
        name="tensorflow",
        library="tensorflow",
        devices=DEVICES,
        colour="#6fcdb0",
        settings={"threads": "0", "tf32": "False"},  # 0: as many as cores
        script=Script(
            prepare="""\
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
""",
            compile=STATIC + "function = tf.function(function, jit_compile=True)\n",
            wait="tf.test.experimental.sync_devices()",
        ),
        cost=0.9,
        audit_cost=1.5,
    ),
    Backend(
        name="tensorflow-xla",
        library="tensorflow",
        compiled=True,
        eager="tensorflow",
        devices=DEVICES,
        colour="#00795a",
        cost=1.2,
        audit_cost=1.5,
    ),
    Backend(
        name="cupy",
        library="cupy",
        devices=("gpu",),
        colour="#9c8f00",
        distributions=("cupy", "cupy-cuda11x", "cupy-cuda12x", "cupy-cuda13x"),
        settings={"tf32": "False"},
        script=Script(
            prepare="""\
os.environ["CUPY_TF32"] = "0"
import cupy

function, make = library_function(kernel, BACKENDS[BACKEND])
arguments = [cupy.asarray(array) for array in inputs] if make is put_each else make(None, *inputs)
""",
            wait="cupy.cuda.runtime.deviceSynchronize()",
        ),
        cost=1.0,
        audit_cost=5.0,
    ),
    Backend(
        name="mlx",
        library="mlx",
        module="mlx.core",
        devices=("cpu", "gpu"),
        colour="#e6d95c",
        settings={"tf32": "False"},
        script=Script(
            prepare="""\
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
""",
            compile=STATIC + "function = mx.compile(function)\n",
            # It computes nothing before it is asked to, on every device.
            call="mx.eval(function(*arguments))",
        ),
        cost=0.7,
        audit_cost=1.1,
    ),
    Backend(
        name="mlx-compile",
        library="mlx",
        module="mlx.core",
        compiled=True,
        eager="mlx",
        devices=("cpu", "gpu"),
        colour="#8a4f1d",
        cost=2.5,
        audit_cost=1.2,
    ),
)

BACKENDS = {backend.name: backend for backend in TABLE}

LIBRARIES = tuple(dict.fromkeys(backend.library for backend in TABLE))

#: What all others are compared with, and the device on which it is. Every other library needs its library, so that it
#: is in their environments too.
BASELINE, BASELINE_DEVICE = TABLE[0].name, TABLE[0].devices[0]
COMPANION = TABLE[0].library


def module(library: str) -> str:
    """Return what people import of a library."""
    return next((one.module for one in TABLE if one.library == library and one.module), library)


def distributions(library: str) -> tuple[str, ...]:
    """Return the names under which a library can be installed; the first of them in new environments."""
    named = (backend.distributions for backend in TABLE if backend.library == library and backend.distributions)
    return next(named, (library,))


def library_of(distribution: str) -> str:
    """Return the library that a distribution installs; its own name where it is none that is measured."""
    return next((library for library in LIBRARIES if distribution in distributions(library)), distribution)
