"""The ways to run a kernel: which library, eager or compiled. Imports no array library."""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

from kernels.backends.hardware import missing
from kernels.backends.table import BACKENDS, BASELINE, BASELINE_DEVICE, COMPANION, DEVICES, LIBRARIES, Backend, module
from kernels.errors import NotAvailable

if TYPE_CHECKING:
    from kernels.backends.base import Adapter
    from kernels.backends.watching import Watch

__all__ = [
    "BACKENDS",
    "BASELINE",
    "BASELINE_DEVICE",
    "COMPANION",
    "DEVICES",
    "LIBRARIES",
    "Backend",
    "adapter",
    "installed",
    "module",
    "watch",
    "why_not",
]


@lru_cache
def installed(library: str) -> bool:
    """Return whether a library can be imported; does not import it."""
    return find_spec(library) is not None


def why_not(backend: Backend, device: str) -> str | None:
    """Return why a backend cannot use a device here, or None. Imports nothing, so that asking costs nothing."""
    if not installed(backend.library):
        return f"{backend.library} is not installed"
    if device not in backend.devices:
        return f"{backend.name} has no {device} here; it runs on {', '.join(backend.devices)}"
    return missing(device)


@lru_cache
def adapter(library: str, device: str, count: int | None = None) -> Adapter:
    """Return the library's adapter for a device, imported and configured once a process.

    ``count`` is how many devices a kernel spreads its work over; None for a kernel of one device.

    Raises
    ------
    NotAvailable
        The library cannot be imported, or does not see the device, or not so many.
    """
    try:
        found = import_module(f"kernels.backends.{library}")
    except ImportError as error:
        raise NotAvailable(f"{library} cannot be imported: {str(error).splitlines()[0]}") from error
    return found.Adapter(device, count)


def watch(library: str) -> Watch:
    """Return what tells how a library compiles and moves arrays; of one that says nothing, that it does neither.

    Raises
    ------
    ImportError
        The library cannot be imported.
    """
    from kernels.backends import watching

    made: Watch = getattr(import_module(f"kernels.backends.{library}"), "Watch", watching.Watch)()
    return made
