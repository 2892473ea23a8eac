"""The kernels of pyhpc-benchmarks by its own programs or by ours, on its inputs: bench_<kernel>_<backend>.

`arrayspeed peers pyhpc` runs it in an environment of array libraries, once for each side. ARRAYSPEED_PEER_PATH is a
checkout of https://github.com/dionhaefner/pyhpc-benchmarks, whose public functions are called and nothing else;
ARRAYSPEED_PEER_ROOT is where `kernels` is.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable
from functools import cache, partial
from typing import Any

OURS = os.environ["ARRAYSPEED_PEER_SIDE"] == "ours"
sys.path.insert(0, os.environ["ARRAYSPEED_PEER_ROOT" if OURS else "ARRAYSPEED_PEER_PATH"])

#: Our backend -> what the peer calls the way that is nearest to it. Its PyTorch is compiled by torch.jit.script.
BACKENDS = {
    "numpy": "numpy",
    "numba": "numba",
    "jax-jit": "jax",
    "torch": "pytorch",
    "torch-compile": "pytorch",
    "tensorflow-xla": "tensorflow",
}

#: Kernel -> the backends that both have.
BOTH = {
    "equation_of_state": tuple(BACKENDS),
    "isoneutral_mixing": ("numpy", "numba", "jax-jit", "torch", "torch-compile"),
    "turbulent_kinetic_energy": ("numpy", "numba", "jax-jit", "torch", "torch-compile"),
}

sizes = (65_536, 1_048_576)


def inputs(rng: object, size: int) -> tuple[int]:
    """Return the size alone: both draw their inputs themselves, from the same seed, and some of the peer's change
    theirs.
    """
    return (size,)


def theirs(kernel: str, backend: str, size: int) -> Callable[[], Any]:
    """Return the peer's program with its inputs; it waits for its result itself."""
    name = BACKENDS[backend]
    setup = importlib.import_module("backends").__backends__[name]
    setup(device="cpu").__enter__()  # never left, as the process measures nothing else
    call: Callable[[], Any] = importlib.import_module(f"benchmarks.{kernel}").get_callable(name, size, device="cpu")
    if kernel != "turbulent_kinetic_energy":
        return call

    def what_changes() -> tuple[Any, Any, Any]:
        energy, tendency, correction = call()
        return energy[..., 1], tendency[..., 0], correction

    return what_changes


def ours(kernel: str, backend: str, size: int) -> Callable[[], Any]:
    """Our program with the peer's inputs."""
    load = importlib.import_module("kernels.preparation").load
    call: Callable[[], Any] = load(kernel, backend, size, "cpu", peer=True).call
    return call


def of(kernel: str, backend: str) -> Callable[[int], Any]:
    """Return a function that prepares at its first call."""
    prepared = cache(partial(ours if OURS else theirs, kernel, backend))
    return lambda size: prepared(size)()


for _kernel, _backends in BOTH.items():
    for _backend in _backends:
        globals()[f"bench_{_kernel}_{_backend.replace('-', '_')}"] = of(_kernel, _backend)
