"""From names to a ready call: inputs made on the host in float64, cast, put on the device, function compiled."""

from __future__ import annotations

import operator
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from kernels import backends
from kernels.backends import BACKENDS, DEVICES, Backend
from kernels.catalogue import CATALOGUE, choose
from kernels.errors import NotAvailable, WrongResult
from kernels.kernel import Kernel

SEED = 20240229

#: Names a folder of this machine's own processes in which references are kept, each computed once.
REFERENCES = "ARRAYSPEED_REFERENCES"


@dataclass
class Prepared:
    """A kernel on one backend, device, size and dtype, its inputs on the device.

    Attributes
    ----------
    inputs
        The host arrays, already of the kernel's dtype.
    arguments
        What the function takes, on the device and complete.
    send
        No arguments; makes the function's arguments from the inputs anew, as a user would for one computation.
    function
        The kernel; ``function(*arguments)`` may return before the result is complete.
    call
        No arguments; returns the result when it is complete.
    verified
        Whether `verify` has found the result right.
    """

    kernel: Kernel
    backend: Backend
    size: int
    device: str
    dtype: str
    adapter: backends.base.Adapter
    inputs: tuple[Any, ...]
    arguments: tuple[Any, ...]
    send: Callable[[], tuple[Any, ...]]
    function: Callable[..., Any]
    call: Callable[[], Any]
    verified: bool = False

    def check(self) -> Any:
        """Call once, check the dtype and device of every result, and return the result.

        Raises
        ------
        WrongResult
            A result has another dtype, or is on another device, than asked for.
        """
        result = self.call()
        arrays = leaves(result)
        for array, expected in zip(arrays, self.kernel.result_dtypes(self.dtype, len(arrays)), strict=True):
            if (dtype := self.adapter.dtype_of(array)) != expected:
                raise WrongResult(f"{self}: the result is {dtype}, not {expected}")
            if (device := self.adapter.device_of(array)) != self.device:
                raise WrongResult(f"{self}: the result is on the {device}, not the {self.device}")
        return result

    def round_trip(self) -> Any:
        """From the host's arrays to the result on the host."""
        return self.to_host(self.function(*self.send()))

    def to_host(self, result: Any) -> Any:
        """The result as a NumPy array, or a tuple of them."""
        if isinstance(result, (tuple, list)):
            return tuple(self.adapter.get(array) for array in result)
        return self.adapter.get(result)

    def reference(self) -> Any:
        """What the result is measured against, computed from the inputs before they were rounded to the dtype.

        Where the environment variable ``ARRAYSPEED_REFERENCES`` names a folder, computed once for all processes that
        share it.
        """
        name = f"{self.kernel.name}-{self.size}-{self.dtype}"
        return remembered(
            name,
            lambda: self.kernel.reference(
                *host_inputs(self.kernel, self.size), **self.kernel.static(self.size, self.dtype)
            ),
        )

    def error(self) -> float:
        """Largest error of a call against the float64 reference, by the kernel's measure."""
        host = self.to_host(self.check())
        reference = self.reference()
        results = host if isinstance(host, tuple) else (host,)
        references = reference if isinstance(reference, tuple) else (reference,)
        if len(results) != len(references):
            raise WrongResult(f"{self}: {len(results)} results, not {len(references)}")
        return max(self.kernel.error(*pair) for pair in zip(results, references, strict=True))

    def verify(self) -> float:
        """The error of a call; WrongResult where it is above what the kernel tolerates."""
        error = self.error()
        allowed = self.kernel.allowed_error(self.backend.name, self.backend.library, self.dtype)
        if not error <= allowed:
            raise WrongResult(f"{self}: error {error:.1e}, more than {allowed:.1e} of the float64 reference")
        self.verified = True
        return error

    def __str__(self) -> str:
        return f"{self.kernel.name} {self.size} {self.dtype} on {self.backend.name}, {self.device}"


def remembered(name: str, make: Callable[[], Any]) -> Any:
    """What ``make`` gives, an array or a tuple of arrays, from a file where an earlier process left it."""
    import numpy as np

    folder = os.environ.get(REFERENCES)
    if not folder:
        return make()
    path = Path(folder, f"{name}.npz")
    with suppress(OSError), np.load(path, allow_pickle=False) as kept:
        found = tuple(kept[f"arr_{number}"] for number in range(len(kept.files) - 1))
        return found if kept["several"] else found[0]
    made = make()
    arrays = [np.asarray(array) for array in leaves(made)]
    if all(array.dtype != object for array in arrays):
        # Whole or not at all: another process may read it meanwhile. A full disk only costs the next process its time.
        temporary = path.with_name(f"{os.getpid()}-{path.name}")
        with suppress(OSError):
            np.savez(temporary, *arrays, several=isinstance(made, tuple))
            temporary.replace(path)
    return made


def leaves(result: Any) -> tuple[Any, ...]:
    """The arrays of a result."""
    return tuple(result) if isinstance(result, (tuple, list)) else (result,)


def host_inputs(kernel: Kernel, size: int) -> tuple[Any, ...]:
    """The kernel's float64 inputs, the same for every backend, process and machine."""
    import numpy as np

    return kernel.inputs(np.random.default_rng([SEED, size]), size)


def choose_size(size: Any) -> int:
    """``size`` as a positive int; else ValueError."""
    try:
        if isinstance(size, bool):
            raise TypeError
        number = operator.index(size)
    except TypeError:
        raise ValueError(f"size {size!r} is not valid: it must be a whole number, 1 or more") from None
    if number < 1:
        raise ValueError(f"size {number} is not valid: it must be 1 or more")
    return number


def load(kernel: str, backend: str, size: int, device: str = "cpu", dtype: str | None = None) -> Prepared:
    """Everything up to the first call: what is slow there (tracing, compiling) has not happened yet.

    Raises and parameters as for `prepare`.
    """
    chosen = CATALOGUE[choose("kernel", kernel, CATALOGUE)]
    way = BACKENDS[choose("backend", backend, BACKENDS)]
    choose("device", device, DEVICES)
    dtype = choose("dtype", chosen.dtypes[0] if dtype is None else dtype, chosen.dtypes)
    size = choose_size(size)

    why = chosen.why_not(way.name, way.library) or backends.why_not(way, device)
    if why:
        raise NotAvailable(f"{chosen.name} on {way.name}, {device}: {why}")

    adapter = backends.adapter(way.library, device, chosen.devices(size) if chosen.devices else None)
    function, arguments_from = library_function(chosen, way)
    inputs = tuple(cast(array, dtype) for array in host_inputs(chosen, size))
    arguments = arguments_from(adapter, *inputs)
    send = partial(send_each if arguments_from is put_each else arguments_from, adapter, *inputs)
    if static := chosen.static(size, dtype):
        function = partial(function, **static)
    function = adapter.place(adapter.compile(function) if way.compiled else function)
    return Prepared(
        chosen,
        way,
        size,
        device,
        dtype,
        adapter,
        inputs,
        arguments,
        send,
        function,
        waiting(function, arguments, adapter.wait),
    )


def cast(array: Any, dtype: str) -> Any:
    """A host array in the precision asked for; integers (a seed) as they are."""
    return array.astype(dtype) if array.dtype.kind == "f" else array


def library_function(kernel: Kernel, backend: Backend) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """The kernel as its library's file has it, and what makes its arguments: ``arguments_from(adapter, *inputs)``.

    A name with ``_compiled`` behind it is what compiled backends take, where eager and compiled code that an
    expert would write differ. A name with ``_arguments`` behind the function's makes the arguments where they are
    not the inputs put on the device: a generator or a key from a seed, an array on several devices.
    """
    module = import_module(f"kernels.{kernel.family}.{backend.library}")
    name = kernel.name
    if backend.compiled and hasattr(module, f"{name}_compiled"):
        name = f"{name}_compiled"
    if not hasattr(module, name):
        raise NotImplementedError(f"{module.__name__} has no function {name}")
    return getattr(module, name), getattr(module, f"{name}_arguments", put_each)


def put_each(adapter: backends.base.Adapter, *inputs: Any) -> tuple[Any, ...]:
    """The inputs on the device."""
    return tuple(adapter.put(array) for array in inputs)


def send_each(adapter: backends.base.Adapter, *inputs: Any) -> tuple[Any, ...]:
    """The inputs on the device, or on their way."""
    return tuple(adapter.send(array) for array in inputs)


def waiting(
    function: Callable[..., Any], arguments: tuple[Any, ...], wait: Callable[[Any], object] | None
) -> Callable[[], Any]:
    """A call of no arguments that returns a complete result, with as little Python around it as can be."""
    if wait is None:
        return partial(function, *arguments)

    def call() -> Any:
        result = function(*arguments)
        wait(result)
        return result

    return call


def prepare(kernel: str, backend: str, size: int, device: str = "cpu", dtype: str | None = None) -> Callable[[], Any]:
    """A function of no arguments that runs a kernel once on arrays already on the device.

    It returns the result, complete, on the device; `to_host` brings it back.

    Parameters
    ----------
    kernel, backend, device
        Names from ``python -m kernels``.
    size
        What the inputs are made from; any whole number from 1 up.
    dtype
        Precision of the inputs; by default the kernel's own.

    Raises
    ------
    ValueError
        A name or size that is not valid; the message says what is.
    NotAvailable
        It cannot run here; the message says why.
    WrongResult
        The result's dtype or device is not what was asked for.
    """
    prepared = load(kernel, backend, size, device, dtype)
    prepared.check()
    return prepared.call


def to_host(result: Any) -> Any:
    """A result of any backend as a NumPy array; a tuple where the kernel returns several."""
    import numpy as np

    if isinstance(result, (tuple, list)):
        return tuple(to_host(array) for array in result)
    if hasattr(result, "detach"):  # PyTorch
        result = result.detach().cpu()
    elif hasattr(result, "get"):  # CuPy
        result = result.get()
    return np.asarray(result)
