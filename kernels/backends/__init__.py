"""The ways to run a kernel: which library, eager or compiled. Imports no array library."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

from kernels.backends.hardware import missing
from kernels.errors import NotAvailable

if TYPE_CHECKING:
    from kernels.backends.base import Adapter

DEVICES = ("cpu", "gpu", "tpu")


@dataclass(frozen=True)
class Backend:
    """One way to run a kernel in a library. ``compiled``: the adapter's ``compile`` is applied to the kernel."""

    name: str
    library: str
    compiled: bool = False
    devices: tuple[str, ...] = ("cpu",)


BACKENDS = {
    backend.name: backend
    for backend in (
        Backend("numpy", "numpy"),
        Backend("numba", "numba"),
        Backend("jax", "jax", devices=DEVICES),
        Backend("jax-jit", "jax", compiled=True, devices=DEVICES),
        Backend("torch", "torch", devices=("cpu", "gpu")),
        Backend("torch-compile", "torch", compiled=True, devices=("cpu", "gpu")),
        Backend("tensorflow", "tensorflow", devices=DEVICES),
        Backend("tensorflow-xla", "tensorflow", compiled=True, devices=DEVICES),
        Backend("cupy", "cupy", devices=("gpu",)),
        Backend("mlx", "mlx", devices=("cpu", "gpu")),
        Backend("mlx-compile", "mlx", compiled=True, devices=("cpu", "gpu")),
    )
}

#: Library -> the module that people import, where it is not the library's name.
MODULES = {"mlx": "mlx.core"}

LIBRARIES = tuple(dict.fromkeys(backend.library for backend in BACKENDS.values()))


@lru_cache
def installed(library: str) -> bool:
    """Whether a library can be imported; does not import it."""
    return find_spec(library) is not None


def why_not(backend: Backend, device: str) -> str | None:
    """Why a backend cannot use a device here, or None. Imports nothing, so that asking costs nothing."""
    if not installed(backend.library):
        return f"{backend.library} is not installed"
    if device not in backend.devices:
        return f"{backend.name} has no {device} here; it runs on {', '.join(backend.devices)}"
    return missing(device)


@lru_cache
def adapter(library: str, device: str, count: int | None = None) -> Adapter:
    """The library's adapter for a device, imported and configured once a process.

    ``count`` is how many devices a kernel spreads its work over; None for a kernel of one device.

    Raises
    ------
    NotAvailable
        The library cannot be imported, or does not see the device, or not so many.
    """
    try:
        module = import_module(f"kernels.backends.{library}")
    except ImportError as error:
        raise NotAvailable(f"{library} cannot be imported: {str(error).splitlines()[0]}") from error
    return module.Adapter(device, count)
