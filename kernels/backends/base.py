"""What each library's adapter provides."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np


class Adapter(ABC):
    """One library on one device.

    Making one imports the library, sets it up (precision, memory growth) and finds the device; it raises
    NotAvailable where the library does not see it.
    """

    library: ClassVar[str]

    def __init__(self, device: str) -> None:
        self.device = device

    @abstractmethod
    def put(self, array: np.ndarray) -> Any:
        """A copy of a host array on the device, complete when this returns."""

    @abstractmethod
    def get(self, array: Any) -> np.ndarray:
        """A device array on the host; waits until it is complete."""

    def compile(self, function: Callable) -> Callable:
        """The function as the library's compiler runs it, compiled at its first call."""
        return function

    def place(self, function: Callable) -> Callable:
        """The function with its operations on the device, where its inputs alone do not decide that."""
        return function

    #: ``wait(result)`` returns when the result is complete; None where every call is synchronous.
    wait: Callable[[Any], Any] | None = None

    def dtype_of(self, array: Any) -> str:
        """Name of an array's dtype, as NumPy spells it."""
        return str(array.dtype)

    @abstractmethod
    def device_of(self, array: Any) -> str:
        """Where an array is: ``cpu``, ``gpu`` or ``tpu``."""

    def settings(self) -> dict[str, str]:
        """What was set that can change a number: precision, threads."""
        return {}

    def reset_peak_memory(self) -> None:
        """Start a new peak of the device allocator, where there is one."""

    def peak_memory(self) -> int | None:
        """Peak bytes of the device allocator since the reset, or None where the library keeps no count."""
        return None
