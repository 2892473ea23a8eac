"""From names to a ready call: inputs made on the host in float64, cast, put on the device, function compiled."""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from kernels import backends
from kernels.backends import BACKENDS, DEVICES, Backend
from kernels.catalogue import CATALOGUE, choose
from kernels.errors import NotAvailable, WrongResult
from kernels.kernel import Derivation, Kernel, widened
from kernels.late import Late
from kernels.requirements import unmet

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
    static
        Keyword arguments of the kernel that are part of the program.
    put
        Whether the arguments are the inputs put on the device, and not a generator or a key made from them.
    peer
        Whether the inputs are those of the kernel's peer.
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
    static: Mapping[str, Any] = field(default_factory=dict)
    put: bool = True
    peer: bool = False
    verified: bool = False

    def check(self) -> Any:
        """Call once, check the dtype, device and layout of every result, and return the result.

        Raises
        ------
        WrongResult
            A result has another dtype, is on another device than asked for, or is no new array but a view.
        """
        result = self.call()
        arrays = leaves(result)
        accepted = self.kernel.accepted_dtypes(self.dtype)
        if len(arrays) != len(accepted):
            raise WrongResult(f"{self}: {len(arrays)} results, not {len(accepted)}")
        for array, dtypes in zip(arrays, accepted, strict=True):
            if (dtype := self.adapter.dtype_of(array)) not in dtypes:
                raise WrongResult(f"{self}: the result is {dtype}, not {' or '.join(dtypes)}")
            if (device := self.adapter.device_of(array)) != self.device:
                raise WrongResult(f"{self}: the result is on the {device}, not the {self.device}")
            inputs = self.arguments if self.put else ()
            if why := self.adapter.layout_problem(array, inputs, self.kernel.any_order):
                raise WrongResult(f"{self}: the result {why}")
        return result

    def round_trip(self) -> Any:
        """From the host's arrays to the result on the host."""
        return self.to_host(self.function(*self.send()))

    def to_host(self, result: Any) -> Any:
        """Return the result as a NumPy array, or a tuple of them."""
        if isinstance(result, (tuple, list)):
            return tuple(self.adapter.get(array) for array in result)
        return self.adapter.get(result)

    def reference(self) -> Any:
        """Return what the result is measured against: computed from the inputs before they were rounded to the dtype,
        or after, as the kernel says.

        Where the environment variable ``ARRAYSPEED_REFERENCES`` names a folder, computed once for all processes that
        share it.
        """
        quick = "" if self.static == self.kernel.static(self.size, self.dtype) else "-quick"
        name = f"{self.kernel.name}-{self.size}-{self.dtype}{quick}"
        return remembered(
            name, lambda: exact_result(self.kernel, host_inputs(self.kernel, self.size), self.dtype, self.static)
        )

    def errors(self) -> tuple[float, ...]:
        """Return the error of each result of a call against the float64 reference, and the residual where
        there is one.
        """
        results = leaves(self.to_host(self.check()))
        return self.kernel.errors(self.inputs, results, leaves(self.reference()))

    def error(self) -> float:
        """Return the largest of `errors`."""
        return max(self.errors())

    def verify(self) -> float:
        """Return the largest error of a call; WrongResult where one is above what the kernel tolerates, or an input
        changed.

        With a peer's inputs: of a call on the kernel's own.
        """
        if self.peer:
            own = load(self.kernel.name, self.backend.name, self.size, self.device, self.dtype)
            error = own.verify()
            self.check()
        else:
            errors = self.errors()
            allowed = self.kernel.allowed_errors(self.backend.name, self.backend.library, self.dtype, self.device)
            for found, limit in zip(errors, allowed, strict=True):
                if not found <= limit:
                    raise WrongResult(f"{self}: error {found:.1e}, more than {limit:.1e} of the float64 reference")
            error = max(errors)
        self.check_inputs()
        self.verified = True
        return error

    def repeats(self) -> bool | None:
        """Return whether a second call gives the same bits; None where the kernel does not promise it: random numbers,
        and on a GPU what is added in any order.
        """
        if self.kernel.random or (self.device == "gpu" and not self.kernel.ordered):
            return None
        first = [array.copy() for array in leaves(self.to_host(self.call()))]
        return all(map(same_bits, first, leaves(self.to_host(self.call()))))

    def check_inputs(self) -> None:
        """WrongResult where the arguments are no longer the inputs, bit by bit: the kernel works in place."""
        if not self.put:
            return
        for number, (host, array) in enumerate(zip(self.inputs, self.arguments, strict=True), 1):
            if not same_bits(host, self.adapter.get(array)):
                raise WrongResult(f"{self}: a call changed input {number}")

    def __str__(self) -> str:
        return f"{self.kernel.name} {self.size} {self.dtype} on {self.backend.name}, {self.device}"


def remembered(name: str, make: Callable[[], Any]) -> Any:
    """Return what ``make`` gives, an array or a tuple of arrays, from a file where an earlier process left it."""
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


def exact_result(kernel: Kernel, inputs: tuple[Any, ...], dtype: str, static: Mapping[str, Any]) -> Any:
    """Return the kernel's reference for host inputs as they were drawn, or as they are rounded where the kernel says
    so.
    """
    if kernel.rounded:
        inputs = tuple(widened(cast(array, dtype)) for array in inputs)
    return kernel.reference(*inputs, **static)


def same_bits(array: Any, other: Any) -> bool:
    """Return whether two host arrays have the same shape, dtype and bits: a NaN is itself, and the zeros are two."""
    import numpy as np

    array, other = (np.ascontiguousarray(array) for array in (array, other))
    if array.shape != other.shape or array.dtype != other.dtype:
        return False
    return np.array_equal(array.reshape(-1).view(np.uint8), other.reshape(-1).view(np.uint8))


def leaves(result: Any) -> tuple[Any, ...]:
    """Return the arrays of a result."""
    return tuple(result) if isinstance(result, (tuple, list)) else (result,)


def host_inputs(kernel: Kernel, size: int) -> tuple[Any, ...]:
    """Return the kernel's float64 inputs, the same for every backend, process and machine."""
    import numpy as np

    return kernel.inputs(np.random.default_rng([SEED, size]), size)


def shapes(kernel: Kernel, size: int) -> list[str]:
    """Return the shape of each input at a size, as text."""
    return [f"({', '.join(map(str, array.shape))})" for array in host_inputs(kernel, size)]


def choose_size(size: Any, least: int = 1) -> int:
    """``size`` as an int of ``least`` or more; else ValueError."""
    try:
        if isinstance(size, bool):
            raise TypeError
        number = operator.index(size)
    except TypeError:
        raise ValueError(f"size {size!r} is not valid: it must be a whole number, {least} or more") from None
    if number < least:
        raise ValueError(f"size {number} is not valid: it must be {least} or more")
    return number


def load(
    kernel: str,
    backend: str,
    size: int,
    device: str = "cpu",
    dtype: str | None = None,
    *,
    quick: bool = False,
    peer: bool = False,
) -> Prepared:
    """Prepare everything up to the first call: what is slow there (tracing, compiling) has not happened yet.

    ``quick``: with the kernel's static values for tests, where it has some. ``peer``: with the inputs of the kernel's
    peer. Raises and other parameters as for `prepare`.
    """
    chosen = CATALOGUE[choose("kernel", kernel, CATALOGUE)]
    way = BACKENDS[choose("backend", backend, BACKENDS)]
    choose("device", device, DEVICES)
    dtype = choose("dtype", chosen.dtypes[0] if dtype is None else dtype, chosen.dtypes)
    size = choose_size(size, chosen.least)
    if peer and chosen.peer is None:
        raise ValueError(f"kernel {chosen.name!r} has no peer")

    why = chosen.why_not(way.name, way.library, device, dtype)
    why = why or backends.why_not(way, device) or unmet(chosen, way.library)
    if why:
        raise NotAvailable(f"{chosen.name} on {way.name}, {device}: {why}")

    adapter = backends.adapter(way.library, device, chosen.devices(size) if chosen.devices else None)
    function, arguments_from = library_function(chosen, way)
    drawn = chosen.peer.inputs(size) if peer and chosen.peer else host_inputs(chosen, size)
    inputs = tuple(cast(array, dtype) for array in drawn)
    arguments = arguments_from(adapter, *inputs)
    put = arguments_from is put_each
    send = partial(send_each if put else arguments_from, adapter, *inputs)
    static = (chosen.quick if quick and chosen.quick else chosen.static)(size, dtype)
    if static:
        function = partial(function, **static)
    function = adapter.place(adapter.compile(function) if way.compiled else function)
    wait, each = adapter.wait, False
    if way.waits_by and device == "cpu":  # calls on the host are so short that a function more would show
        wait, each = operator.methodcaller(way.waits_by), len(chosen.results) > 1
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
        waiting(function, arguments, wait, each),
        static,
        put,
        peer,
    )


def cast(array: Any, dtype: str) -> Any:
    """Return a host array in the precision asked for; whole numbers (a seed, indices) and truth values as they are.

    Raises
    ------
    NotAvailable
        NumPy has bfloat16 only through ml_dtypes, which JAX and TensorFlow bring.
    """
    if array.dtype.kind != "f":
        return array
    if dtype == "bfloat16":
        try:
            from ml_dtypes import bfloat16
        except ImportError:
            raise NotAvailable("bfloat16 on the host needs ml_dtypes, which is not installed") from None
        return array.astype(bfloat16)
    return array.astype(dtype)


def library_function(kernel: Kernel, backend: Backend) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Return the kernel as its library's file has it, and what makes its arguments: ``arguments_from(adapter,
    *inputs)``.

    A name with ``_compiled`` behind it is what compiled backends take, where eager and compiled code that an
    expert would write differ. A name with ``_arguments`` behind the function's makes the arguments where they are
    not the inputs put on the device: a generator or a key from a seed, an array on several devices.
    """
    module = import_module(f"kernels.{kernel.family}.{backend.library}")
    name = kernel.name
    if backend.compiled and hasattr(module, f"{name}_compiled"):
        name = f"{name}_compiled"
    if kernel.derived and not hasattr(module, name):
        return made_gradient(kernel, kernel.derived, backend), put_each
    if not hasattr(module, name):
        raise NotImplementedError(f"{module.__name__} has no function {name}")
    function = getattr(module, name)
    function = function.found() if isinstance(function, Late) else function
    return function, getattr(module, f"{name}_arguments", put_each)


def made_gradient(kernel: Kernel, derived: Derivation, backend: Backend) -> Callable[..., Any]:
    """Return a kernel of gradients by the library's own differentiation of the kernel that it is derived from."""
    base = replace(derived.kernel, family=kernel.family)  # the catalogue gives a family to each of its own
    maker = import_module(f"kernels.gradients.{backend.library}")
    make = getattr(maker, "gradient_compiled", maker.gradient) if backend.compiled else maker.gradient
    function: Callable[..., Any] = make(library_function(base, backend)[0], derived.by, len(base.results))
    return function


def put_each(adapter: backends.base.Adapter, *inputs: Any) -> tuple[Any, ...]:
    """Return the inputs on the device."""
    return tuple(adapter.put(array) for array in inputs)


def send_each(adapter: backends.base.Adapter, *inputs: Any) -> tuple[Any, ...]:
    """Return the inputs on the device, or on their way."""
    return tuple(adapter.send(array) for array in inputs)


def waiting(
    function: Callable[..., Any], arguments: tuple[Any, ...], wait: Callable[[Any], object] | None, each: bool = False
) -> Callable[[], Any]:
    """Return a call of no arguments that returns a complete result, with as little Python around it as can be.

    ``each``: a result is a tuple, and ``wait`` waits for one array of it.
    """
    if wait is None:
        return partial(function, *arguments)

    def call_each() -> Any:
        result = function(*arguments)
        for array in result:
            wait(array)
        return result

    def call() -> Any:
        result = function(*arguments)
        wait(result)
        return result

    return call_each if each else call


def prepare(kernel: str, backend: str, size: int, device: str = "cpu", dtype: str | None = None) -> Callable[[], Any]:
    """Return a function of no arguments that runs a kernel once on arrays already on the device.

    It returns the result, complete, on the device; `to_host` brings it back.

    Parameters
    ----------
    kernel, backend, device
        Names from ``python -m kernels``.
    size
        What the inputs are made from; any whole number from the kernel's least up, which is 1 for most.
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
    """Return a result of any backend as a NumPy array; a tuple where the kernel returns several."""
    import numpy as np

    if isinstance(result, (tuple, list)):
        return tuple(to_host(array) for array in result)
    if hasattr(result, "detach"):  # PyTorch
        result = result.detach().cpu()
    elif hasattr(result, "get"):  # CuPy
        result = result.get()
    return np.asarray(result)
