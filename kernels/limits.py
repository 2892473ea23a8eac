"""Sizes that are not measured unless asked for: those that take minutes, and those that do not fit in memory."""

from __future__ import annotations

import os

from kernels.backends import Backend
from kernels.backends.hardware import available_memory
from kernels.dtypes import ITEMSIZE
from kernels.kernel import Kernel

#: Set to 1 to measure the large sizes too.
LARGE = "ARRAYSPEED_LARGE"


def memory_needed(kernel: Kernel, size: int, dtype: str) -> int:
    """Bytes that one process takes for its arrays, roughly: float64 inputs and reference on the host, a cast copy
    of the inputs, a device copy, results, and the temporaries of an eager backend.
    """
    item = ITEMSIZE[dtype]
    return 2 * kernel.bytes(size, 8) + 3 * kernel.bytes(size, item) + kernel.workspace(size, item)


def too_large(kernel: Kernel, backend: Backend, size: int, dtype: str, device: str = "cpu") -> str | None:
    """Return why this size is left out, or None."""
    largest = kernel.largest(backend.name, backend.library, device)
    if largest is not None and size > largest and os.environ.get(LARGE, "0") in ("", "0"):
        return f"size {size:,} is measured only when asked for ({LARGE}=1); the largest otherwise is {largest:,}"
    needed, available = memory_needed(kernel, size, dtype), available_memory()
    if available is not None and needed > available:
        return f"size {size:,} needs about {needed / 2**30:.0f} GiB of memory, and {available / 2**30:.0f} GiB are free"
    return None
