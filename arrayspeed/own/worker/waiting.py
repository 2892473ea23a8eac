"""Results that are not there yet when a call returns: how each library is told to finish them."""

from __future__ import annotations

import sys

from .finishing import DEPTH, Finished, within

TYPE_CHECKING = False  # type checkers take it as true
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import ModuleType
    from typing import Any

    #: What waits for a result.
    Wait = Callable[[Any], object]

#: Libraries whose calls return when their result is there.
SYNCHRONOUS = {"builtins", "numpy", "scipy", "pandas", "numba", "decimal", "fractions", "datetime", "collections"}


def libraries_of(result: object) -> set[str]:
    """Return the top-level modules of what is in a result: containers and objects of other modules are looked into."""
    depth = DEPTH + isinstance(result, Finished)  # what a promise came to is no level of its own
    return {library_of(each) for each in within(result, depth, parts) if not isinstance(each, Finished)}


def library_of(value: object) -> str:
    """Return the top-level module of a value's class."""
    module = (type(value).__module__ or "builtins").split(".")[0]
    return {"jaxlib": "jax", "keras": "tensorflow"}.get(module, module)


def parts(value: object) -> Iterable[Any]:
    """Return what a container holds, or an object that is not of a library whose calls are done when they return."""
    if isinstance(value, dict):
        return value.values()
    if isinstance(value, (list, tuple, set, frozenset)):
        return value
    if isinstance(value, Finished):
        return (value.value,)
    return vars(value).values() if hasattr(value, "__dict__") and library_of(value) not in SYNCHRONOUS else ()


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
