"""What each library's adapter provides."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from kernels.backends.events import Events
from kernels.errors import NotAvailable

#: How a result lies in memory that is no array of its own.
NOT_CONTIGUOUS, IS_VIEW = "is not contiguous in memory", "is a view of an input, not a new array"


class Adapter(ABC):
    """One library on one device, or on ``count`` of a kind for a kernel that spreads its work over several.

    Making one imports the library, sets it up (precision, memory growth) and finds the devices; it raises
    NotAvailable where the library does not see them.
    """

    library: ClassVar[str]

    def __init__(self, device: str, count: int | None = None) -> None:
        self.device = device
        self.count = count

    @abstractmethod
    def put(self, array: np.ndarray) -> Any:
        """Return a copy of a host array on the device, complete when this returns."""

    def send(self, array: np.ndarray) -> Any:
        """Return a host array on the device as a user of the library would send it for one computation: it may share
        the host's memory, and need not be complete when this returns.
        """
        return self.put(array)

    @abstractmethod
    def get(self, array: Any) -> np.ndarray:
        """Return a device array on the host; waits until it is complete."""

    def compile(self, function: Callable) -> Callable:
        """Return the function as the library's compiler runs it, compiled at its first call."""
        return function

    def place(self, function: Callable) -> Callable:
        """Return the function with its operations on the device, where its inputs alone do not decide that."""
        return function

    #: ``wait(result)`` returns when the result is complete; None where every call is synchronous.
    wait: Callable[[Any], Any] | None = None

    #: ``begin(result)`` has a result computed without waiting for it; None where a call does that already. Of a library
    #: that computes nothing until it is asked to, results that are dropped would cost nothing.
    begin: Callable[[Any], Any] | None = None

    def dtype_of(self, array: Any) -> str:
        """Name of an array's dtype, as NumPy spells it."""
        return str(array.dtype)

    def layout_problem(self, result: Any, inputs: tuple, any_order: bool) -> str | None:
        """Return what is wrong with how a result lies in memory, or None; None too where the library does not tell.

        It must be a new array and no view of an input, without gaps, row by row or, with ``any_order``, column by
        column: a transpose that is a view takes no time, and leaves its work to whoever reads it.
        """
        return None

    @abstractmethod
    def device_of(self, array: Any) -> str:
        """Return where an array is: ``cpu``, ``gpu`` or ``tpu``."""

    def forget_compiled(self, folder: str) -> None:
        """Before anything is compiled: keep compilers from using what earlier processes left on disk, and have
        them write below an empty folder instead.
        """

    def settings(self) -> dict[str, str]:
        """Return what was set that can change a number: precision, threads."""
        return {}

    def reset_peak_memory(self) -> None:
        """Start a new peak of the device allocator, where there is one."""

    def peak_memory(self) -> int | None:
        """Peak bytes of the device allocator since the reset, or None where the library keeps no count."""
        return None

    def events(self) -> Events:
        """Return the device's own clock.

        Raises
        ------
        NotAvailable
            The library offers none on this device.
        """
        where = "a CPU keeps no time of its own" if self.device == "cpu" else f"{self.library} has no device events"
        raise NotAvailable(f"{where}: time_call is what there is")
