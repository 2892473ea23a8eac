"""What a server does before it forks the processes that measure: import their library, and promise to end."""

from __future__ import annotations

import ctypes
import os
import signal
from contextlib import suppress
from importlib import import_module

PR_SET_PDEATHSIG = 1


def end_with_parent() -> None:
    """Have Linux kill this process when its parent dies: nothing of a killed run must measure on, or stay stopped."""
    with suppress(AttributeError, OSError):  # not Linux
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() == 1 and os.getpid() != 1 and _parent not in (None, 1):  # it died before Linux was asked
        os._exit(1)


_parent = os.getppid()


#: What PyTorch imports when it first compiles, twice as long as all the rest of it takes. By name: the modules of
#: one release are not those of another.
COMPILER = (
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
)


def preload(name: str) -> None:
    """Import and configure a library; ``torch-compile`` is PyTorch with its compiler.

    Where it is not installed, each process that needs it will say so.
    """
    end_with_parent()
    os.register_at_fork(after_in_child=end_with_parent)
    compiler = COMPILER if name == "torch-compile" else ()
    for module in (f"kernels.backends.{name.removesuffix('-compile')}", *compiler):
        with suppress(ImportError):
            import_module(module)
