"""PyTorch: synchronous on the CPU, asynchronous on a GPU."""

import os
import shutil
from functools import partial

# Before the import: whether there is a GPU is asked in a way after which a process can still be forked.
os.environ.setdefault("PYTORCH_NVML_BASED_CUDA_CHECK", "1")

import torch

from kernels.backends import base, watching
from kernels.backends.base import IS_VIEW, NOT_CONTIGUOUS
from kernels.backends.events import Events
from kernels.errors import NotAvailable

# Full float32 products and convolutions on NVIDIA, as for the other libraries.
torch.backends.cuda.matmul.allow_tf32 = False
torch.backends.cudnn.allow_tf32 = False


class Adapter(base.Adapter):
    """Tensors on one device."""

    library = "torch"

    def __init__(self, device, count=None):
        super().__init__(device, count)
        if device == "gpu" and not torch.cuda.is_available():
            raise NotAvailable(f"PyTorch {torch.__version__} sees no GPU")
        self.where = torch.device({"cpu": "cpu", "gpu": "cuda"}[device])
        if device == "gpu":
            self.wait = lambda result: torch.cuda.synchronize()

    def put(self, array):
        """Return a copy in PyTorch's own allocation (``from_numpy`` would share NumPy's, aligned less strictly)."""
        tensor = torch.tensor(array, device=self.where)
        if self.device == "gpu":
            torch.cuda.synchronize()
        return tensor

    def send(self, array):
        """Shared with NumPy on the CPU, a copy on a GPU."""
        return torch.from_numpy(array).to(self.where)

    def get(self, array):
        """Return a host copy on a GPU, the same memory on the CPU."""
        return array.detach().cpu().numpy()

    def compile(self, function):
        """``torch.compile``, whole graph, one program a shape."""
        if self.device == "cpu" and not (shutil.which("g++") or shutil.which("clang++")):
            raise NotAvailable("torch.compile needs a C++ compiler (g++ or clang++) on the CPU")
        if isinstance(function, partial):
            # Compiled whole, all partial functions would be programs of one and the same wrapper, of which PyTorch
            # allows eight in a process.
            return partial(self.compile(function.func), *function.args, **function.keywords)
        return torch.compile(function, fullgraph=True, dynamic=False)

    def dtype_of(self, array):
        """Name without the ``torch.``."""
        return str(array.dtype).removeprefix("torch.")

    def layout_problem(self, result, inputs, any_order):
        """Strides, and the storage that tensors take."""
        if not (result.is_contiguous() or (any_order and result.dim() > 1 and result.mT.is_contiguous())):
            return NOT_CONTIGUOUS
        where = result.untyped_storage().data_ptr()
        taken = result.numel() > 0 and any(where == each.untyped_storage().data_ptr() for each in inputs)
        return IS_VIEW if taken else None

    def device_of(self, array):
        """``cuda`` is called gpu here."""
        return {"cuda": "gpu"}.get(array.device.type, array.device.type)

    def forget_compiled(self, folder):
        """Inductor and Triton keep everything below these folders."""
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = folder
        os.environ["TRITON_CACHE_DIR"] = os.path.join(folder, "triton")

    def settings(self):
        """Precision of products, and threads."""
        return {
            "threads": str(torch.get_num_threads()),
            "tf32": str(torch.backends.cuda.matmul.allow_tf32),
            "matmul_precision": torch.get_float32_matmul_precision(),
        }

    def reset_peak_memory(self):
        """Only a GPU has a count."""
        if self.device == "gpu":
            torch.cuda.reset_peak_memory_stats()

    def peak_memory(self):
        """Peak of the caching allocator on a GPU."""
        return torch.cuda.max_memory_allocated() if self.device == "gpu" else None

    def events(self):
        """CUDA events of the current stream, and PyTorch's own kernel that keeps it busy."""
        if self.device != "gpu":
            return super().events()
        return Events(
            spin=torch.cuda._sleep,
            record=record,
            reached=lambda event: event.query(),
            seconds=lambda first, last: first.elapsed_time(last) / 1e3,
            wait=lambda event: event.synchronize(),
        )


def record():
    """Return an event behind all that is queued."""
    event = torch.cuda.Event(enable_timing=True)
    event.record()
    return event


class Watch(watching.Watch):
    """The counters of PyTorch's compiler, its profile, the queue of its stream, and the code that it generated."""

    language = watching.GENERATED

    def compilations(self, compiled):
        """Return how many frames the compiler has looked at and graphs it has made."""
        if not compiled:
            return None
        from torch._dynamo.utils import counters

        return lambda prepared: sum(counters["frames"].values()) + sum(counters["stats"].values())

    def transfers(self, prepared, calls):
        """Return copies in the profile; there are none on a CPU."""
        if prepared.device == "gpu":
            return watching.profiled_transfers(prepared, calls)
        return super().transfers(prepared, calls)

    def complete(self, prepared, result):
        """Return whether the stream's queue is empty."""
        return torch.cuda.current_stream().query()

    def program(self, prepared):
        """Return what Inductor generated: its kernels, and the Python that calls them. None where it
        generated nothing.
        """
        from torch._inductor.utils import run_and_get_code

        return "\n".join(run_and_get_code(prepared.function, *prepared.arguments)[1]) or None
