"""CuPy: NumPy's functions on a GPU, asynchronous."""

import os

# Before the import: full float32 products, as for the other libraries. It is CuPy's default, unless this is set.
os.environ["CUPY_TF32"] = "0"

import cupy
import numpy as np

from kernels.backends import base, watching
from kernels.backends.base import IS_VIEW, NOT_CONTIGUOUS
from kernels.backends.events import Events
from kernels.errors import NotAvailable


class Adapter(base.Adapter):
    """CuPy arrays on the first GPU."""

    library = "cupy"

    def __init__(self, device, count=None):
        super().__init__(device, count)
        try:
            number = cupy.cuda.runtime.getDeviceCount()
        except cupy.cuda.runtime.CUDARuntimeError as error:
            raise NotAvailable(f"CuPy {cupy.__version__} sees no GPU: {error}") from error
        if number == 0:
            raise NotAvailable(f"CuPy {cupy.__version__} sees no GPU")
        self.stream = cupy.cuda.get_current_stream()
        self.wait = lambda result: self.stream.synchronize()

    def put(self, array):
        """Return a copy on the device."""
        copy = cupy.array(array)
        self.stream.synchronize()
        return copy

    def send(self, array):
        """Return a copy on the device, or on its way."""
        return cupy.asarray(array)

    def get(self, array):
        """Return a host copy; waits for the array's stream."""
        return cupy.asnumpy(array)

    def layout_problem(self, result, inputs, any_order):
        """CuPy's flags, and the memory that arrays take."""
        if not (result.flags.c_contiguous or (any_order and result.flags.f_contiguous)):
            return NOT_CONTIGUOUS
        return IS_VIEW if any(cupy.may_share_memory(result, array) for array in inputs) else None

    def device_of(self, array):
        """CuPy's arrays are on a GPU."""
        return "gpu" if isinstance(array, cupy.ndarray) else "cpu"

    def forget_compiled(self, folder):
        """CuPy keeps what NVRTC compiled below this folder."""
        os.environ["CUPY_CACHE_DIR"] = folder

    def settings(self):
        """Precision of products."""
        return {"tf32": str(os.environ["CUPY_TF32"] != "0")}

    def reset_peak_memory(self):
        """Give free blocks back: then what the pool grows by is what a call needed."""
        cupy.get_default_memory_pool().free_all_blocks()

    def peak_memory(self):
        """Bytes that the memory pool has taken: it never shrinks by itself."""
        return cupy.get_default_memory_pool().total_bytes()

    def events(self):
        """CUDA events of the current stream, and a kernel that keeps it busy."""
        spin = cupy.RawKernel(SPIN, "spin")
        return Events(
            spin=lambda cycles: spin((1,), (1,), (np.int64(cycles),)),
            record=self.record,
            reached=lambda event: event.done,
            seconds=lambda first, last: cupy.cuda.get_elapsed_time(first, last) / 1e3,
            wait=lambda event: event.synchronize(),
        )

    def record(self):
        """Return an event behind all that is queued."""
        event = cupy.cuda.Event()
        event.record(self.stream)
        return event


SPIN = """
extern "C" __global__ void spin(long long cycles) {
    long long start = clock64();
    while (clock64() - start < cycles) {}
}
"""


class Watch(watching.Watch):
    """The queue of its stream; of transfers PyTorch's profile, which sees those of all libraries."""

    uncounted = "CuPy compiles kernels when they are first used, and keeps no count"

    def transfers(self, prepared, calls):
        """Return copies in the profile."""
        return watching.profiled_transfers(prepared, calls)

    def complete(self, prepared, result):
        """Return whether the stream's queue is empty."""
        return prepared.adapter.stream.done
