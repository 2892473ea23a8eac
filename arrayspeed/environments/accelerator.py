"""What NVIDIA's driver says of the first GPU: asked through its own library, so that no array library is needed."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass

#: Numbers of CUdevice_attribute in the driver's interface.
MULTIPROCESSORS, CLOCK, MAJOR, MINOR = 16, 13, 75, 76

#: Compute capability -> fused multiply-adds a cycle that one multiprocessor completes in float32 and float64; of
#: float64 those of the tensor cores where these are faster. From the table of arithmetic throughput in the CUDA C++
#: Programming Guide, and the data sheets of A100 and H100.
MULTIPLY_ADDS = {
    (7, 0): (64, 32),
    (7, 5): (64, 2),
    (8, 0): (64, 64),
    (8, 6): (128, 2),
    (8, 9): (128, 2),
    (9, 0): (128, 128),
    (10, 0): (128, 64),
    (12, 0): (128, 2),
}


@dataclass(frozen=True)
class Gpu:
    """The first GPU. ``clock``: its highest, in Hz. ``cuda``: the newest version that the driver runs."""

    multiprocessors: int
    clock: float
    capability: tuple[int, int]
    cuda: str

    def peak(self, dtype: str) -> float | None:
        """FLOP/s that the card cannot exceed in a precision, or None where its kind is not known."""
        known = MULTIPLY_ADDS.get(self.capability)
        if known is None:
            return None
        return 2.0 * known[dtype == "float64"] * self.multiprocessors * self.clock


def find() -> Gpu | None:
    """Return the first GPU, or None where there is no driver or no card."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None
    device, version = ctypes.c_int(), ctypes.c_int()
    calls: tuple[Callable[[], int], ...] = (
        lambda: driver.cuInit(0),
        lambda: driver.cuDeviceGet(ctypes.byref(device), 0),
    )
    if any(call() for call in calls) or driver.cuDriverGetVersion(ctypes.byref(version)):
        return None

    def attribute(number: int) -> int:
        value = ctypes.c_int()
        driver.cuDeviceGetAttribute(ctypes.byref(value), number, device)
        return value.value

    return Gpu(
        attribute(MULTIPROCESSORS),
        attribute(CLOCK) * 1e3,
        (attribute(MAJOR), attribute(MINOR)),
        f"{version.value // 1000}.{version.value % 1000 // 10}",
    )
