"""Results that are not there yet when a call returns: how each library is told to finish them."""

from __future__ import annotations

import sys

from .finishing import Finished

TYPE_CHECKING = False  # type checkers take it as true
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any

    #: What waits for a result.
    Wait = Callable[[Any], object]

#: Libraries whose calls return when their result is there.
SYNCHRONOUS = {"builtins", "numpy", "scipy", "pandas", "numba", "decimal", "fractions", "datetime", "collections"}


def libraries_of(result: object, depth: int = 4) -> set[str]:
    """Return the top-level modules of everything in a result: containers are looked into, as deep as ``depth``."""
    found: set[str] = set()

    def visit(value: object, left: int) -> None:
        if isinstance(value, Finished):
            return visit(value.value, left)
        kind = type(value)
        module = (kind.__module__ or "builtins").split(".")[0]
        found.add({"jaxlib": "jax", "keras": "tensorflow"}.get(module, module))
        if left and isinstance(value, dict):
            children = list(value.values())
        elif left and isinstance(value, (list, tuple, set, frozenset)):
            children = list(value)
        elif left and hasattr(value, "__dict__") and module not in SYNCHRONOUS:
            children = list(vars(value).values())
        else:
            return None
        for child in children[:100]:
            visit(child, left - 1)
        return None

    visit(result, depth)
    return found


def waiter(result: object) -> tuple[Wait | None, list[str]]:
    """Return what waits for results like this one, or None where nothing has to; and the libraries that nothing is
    known of, which are assumed to return when they are done.
    """
    found = libraries_of(result)
    waits: list[Wait] = []
    unknown: list[str] = []
    for name in sorted(found):
        if name in WAITS:
            wait = WAITS[name](sys.modules[name]) if name in sys.modules else None
            if wait:
                waits.append(wait)
        elif name not in SYNCHRONOUS and name != "__main__" and name not in sys.builtin_module_names:
            unknown.append(name)
    if "jax" in sys.modules and "jax" not in found and unknown:
        # A class that is registered as a pytree may hold arrays; of others this is a test for each leaf.
        waits.append(of_jax(sys.modules["jax"]))
    if "torch" in sys.modules and "torch" not in found:
        wait = of_torch(sys.modules["torch"])  # work that was queued and whose result is not returned
        if wait:
            waits.append(wait)
    if not waits:
        return None, unknown
    if len(waits) == 1:
        return waits[0], unknown

    def all_of_them(value: object) -> None:
        for wait in waits:
            wait(value)

    return all_of_them, unknown


def of_jax(jax: ModuleType) -> Wait:
    """Return a pytree of arrays."""
    wait: Wait = jax.block_until_ready
    return wait


def of_torch(torch: ModuleType) -> Wait | None:
    """On a CPU calls return when they are done; on an accelerator they queue."""
    if torch.cuda.is_available() and torch.cuda.is_initialized():
        return lambda result: torch.cuda.synchronize()
    mps = getattr(torch.backends, "mps", None)
    if mps is not None and mps.is_available():
        return lambda result: torch.mps.synchronize()
    return None


def of_tensorflow(tensorflow: ModuleType) -> Wait | None:
    """Eager calls on a CPU are done when they return; devices that queue are told to finish."""
    if tensorflow.config.list_physical_devices("GPU"):
        return lambda result: tensorflow.test.experimental.sync_devices()
    return None


def of_cupy(cupy: ModuleType) -> Wait:
    """Return the device's whole queue."""
    return lambda result: cupy.cuda.Device().synchronize()


def of_mlx(mlx: ModuleType) -> Wait:
    """Return a tree of arrays, which nothing has computed yet."""
    wait: Wait = sys.modules["mlx.core"].eval
    return wait


WAITS: dict[str, Callable[[ModuleType], Wait | None]] = {
    "jax": of_jax,
    "torch": of_torch,
    "tensorflow": of_tensorflow,
    "cupy": of_cupy,
    "mlx": of_mlx,
}
