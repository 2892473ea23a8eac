"""MLX: lazy, a call only describes its result; computed when it is waited for, on every device asynchronously."""

import os
import shutil
from time import perf_counter

# Before the import: full float32 products on NVIDIA, as for the other libraries.
os.environ["MLX_ENABLE_TF32"] = "0"

import mlx.core as mx
import numpy as np

from kernels.backends import base, watching
from kernels.backends.base import IS_VIEW, NOT_CONTIGUOUS
from kernels.errors import NotAvailable


def placed(array):
    """Return an MLX array of a host array, in its own precision: MLX would make float32 of float64."""
    name = array.dtype.name
    return mx.array(array, getattr(mx, "bool_" if name == "bool" else name))


class Adapter(base.Adapter):
    """MLX arrays, which belong to no device: the operations on them do."""

    library = "mlx"

    def __init__(self, device, count=None):
        super().__init__(device, count)
        self.where = mx.Device({"cpu": mx.cpu, "gpu": mx.gpu}[device])
        if not mx.is_available(self.where):
            raise NotAvailable(f"MLX {mx.__version__} sees no {device.upper()}")
        # Its first use makes it, and a program traced before would be traced again.
        mx.default_stream(self.where)
        self.traces = 0

    def put(self, array):
        """Return a copy of the array.

        Raises
        ------
        NotAvailable
            float64 on a GPU, where no operation takes it.
        """
        if self.device == "gpu" and array.dtype.name == "float64":
            raise NotAvailable("MLX has float64 on the CPU only")
        copy = placed(array)
        mx.eval(copy)
        return copy

    def get(self, array):
        """Return the same memory, which the host shares; waits until the array is complete."""
        return np.asarray(array)

    def place(self, function):
        """Return the function with its operations on the device."""
        if mx.default_device() == self.where:
            return function

        def on_device(*args):
            with mx.stream(self.where):
                return function(*args)

        return on_device

    def compile(self, function):
        """``mx.compile``, one program a shape. The function itself runs only to be traced, which is counted."""
        if self.device == "cpu" and not shutil.which("g++"):
            raise NotAvailable("mx.compile needs g++ on the CPU; without it MLX compiles nothing and says nothing")

        def traced(*args):
            self.traces += 1
            return function(*args)

        return mx.compile(traced)

    wait = staticmethod(mx.eval)
    begin = staticmethod(mx.async_eval)

    def dtype_of(self, array):
        """Name without the ``mlx.core.``; MLX's bool is called bool_."""
        return str(array.dtype).removeprefix("mlx.core.").removesuffix("_")

    def layout_problem(self, result, inputs, any_order):
        """Strides and memory, as NumPy sees them without a copy. One element may be the input's: no work is left."""
        result = np.asarray(result)
        if result.size == 1:
            return None
        if not (result.flags.c_contiguous or (any_order and result.flags.f_contiguous)):
            return NOT_CONTIGUOUS
        return IS_VIEW if any(np.may_share_memory(result, np.asarray(array)) for array in inputs) else None

    def device_of(self, array):
        """Return where operations are placed: an array does not know where it was computed."""
        return self.device

    def forget_compiled(self, folder):
        """On the CPU, MLX keeps what g++ made of its programs below the folder for temporary files."""
        os.environ["TMPDIR"] = folder

    def settings(self):
        """Precision of products."""
        return {"tf32": str(os.environ["MLX_ENABLE_TF32"] != "0")}

    def reset_peak_memory(self):
        """Give free blocks back: then what is taken is what a call needed."""
        mx.clear_cache()
        mx.reset_peak_memory()

    def peak_memory(self):
        """Peak of the allocator on a GPU; on the CPU it does not count what BLAS and LAPACK take."""
        return mx.get_peak_memory() if self.device == "gpu" else None


class Watch(watching.Watch):
    """What the adapter counts."""

    def compilations(self, compiled):
        """Traces, each of which makes a program."""
        return (lambda prepared: prepared.adapter.traces) if compiled else None

    def complete(self, prepared, result):
        """Return whether waiting takes less than a quarter of a call, which waits too: an array does not say what it
        lacks.
        """
        started = perf_counter()
        prepared.adapter.wait(result)
        waited = perf_counter()
        prepared.call()
        return waited - started < (perf_counter() - waited) / 4
