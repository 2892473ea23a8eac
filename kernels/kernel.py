"""What a kernel is: inputs for each size, a float64 reference, and counts of work."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from kernels.dtypes import TOLERANCE, accepted
from kernels.measures import normwise_error, share_of_mismatches

#: An error measure: of a result and its reference.
Measure = Callable[[Any, Any], float]

#: One number, or one for each result and for the residual.
Tolerance = float | tuple[float, ...]

Entry = TypeVar("Entry")

#: Host arrays: inputs, results or references of a kernel.
Arrays = tuple[Any, ...]

#: Kinds of results that are compared element by element, exactly.
EXACT = ("index", "count", "bool")

#: From which is measured more often to which less: each tier holds those before it.
TIERS = ("bench", "core", "full")


@dataclass(frozen=True)
class Peer:
    """Another suite that has a kernel, in its own way of drawing inputs.

    Its inputs are timed on request, so that numbers can be laid beside the peer's; a result is verified on the
    kernel's own.
    """

    name: str
    address: str
    sizes: tuple[int, ...]
    inputs: Callable[[int], tuple[Any, ...]]


@dataclass(frozen=True)
class Derivation:
    """What a kernel of gradients is made from: a kernel, and the places of the inputs that it is differentiated by."""

    kernel: Kernel
    by: tuple[int, ...]


@dataclass(frozen=True)
class Kernel:
    """A pure function of arrays, in every library that can do it.

    Attributes
    ----------
    name, summary
        The function's name in each library's file, and one line on what it computes.
    sizes
        Sizes measured, ascending. Any other positive size works too.
    small, large
        The two sizes that tables and summaries compare.
    inputs
        ``inputs(rng, size)``: float64 host arrays, a tuple, made from a seeded ``numpy.random.Generator``.
        Integers (a seed) stay what they are whatever the precision.
    reference
        ``reference(*inputs, **static)``: the exact result, computed in float64 (complex128); one array or a
        tuple. Or what the error measure needs in its place, where no result is the exact one (random numbers).
    flops
        ``flops(size)``: floating-point operations that the algorithm needs; 0 where none are done (a sort).
    bytes
        ``bytes(size, itemsize)``: least bytes read and written, each array once.
    unavailable
        Backend or library -> why it cannot do this kernel. This and the next six may name a device too:
        ``"tensorflow-xla@gpu"``. The most particular key counts. Here a key may also name a precision:
        ``"mlx:float64"``.
    otherwise
        Backend or library -> how it computes the result in another way: its time is not of the same work. Only what
        differs in kind belongs here. A library's own algorithm for the same operation (a sort, a generator, a routine
        of BLAS, a map that is a loop) is part of what is measured.
    moves
        Backend or library -> why its own routine moves more than a number between host and device in a call.
    needs
        Library -> modules that must be importable beside it (``{"numpy": ("scipy",)}``).
    since
        Library -> its first version that has the function.
    up_to
        Backend or library -> the largest size measured without asking (``ARRAYSPEED_LARGE=1`` asks). The key
        ``"*"`` is for all the others. For sizes that take minutes or much memory.
    loose
        Backend or library -> tolerances of its own, where its method is less accurate by nature.
    dtypes
        Precisions measured; the first is the kernel's own.
    least
        The smallest valid size.
    results
        The kind of each result: ``number`` (of the inputs' precision), ``complex``, ``index`` (a whole number of any
        size), ``count`` (the same, or a whole float), or a dtype by name.
    rounded
        True where the reference is computed from the inputs as they were rounded to the precision, not as they were
        drawn: rounding makes ties and changes an order, and a copy must be exact.
    error
        ``error(result, reference)``: the error measure of ``track_error``; or one for each result. Indices, counts and
        truth values are compared exactly whatever it says.
    tolerance
        dtype -> error above which a result is wrong; or one for each result, and behind them one for the residual.
    mismatches
        dtype -> share of the elements of an index or count that may differ.
    align
        ``align(results, references)``: the results brought to the references' signs, where signs are free.
    residual
        ``residual(inputs, results)``: a second measure, which needs the inputs: ‖A − QR‖. Both are float64 (or whole
        numbers), tuples; the inputs are as they were rounded to the precision.
    any_order
        True where results may come in column-major order, which LAPACK's routines leave them in.
    ordered
        False where a GPU adds in any order, so that two calls may differ in their last bits.
    workspace
        ``workspace(size, itemsize)``: bytes of temporaries that an eager backend needs at its peak.
    static
        ``static(size, dtype)``: keyword arguments that are part of the program, not data (a shape, a count).
    quick
        As ``static``, with fewer steps, for tests; None where there is no need.
    devices
        ``devices(size)``: how many devices the work is spread over; None for a kernel of one device.
    counted
        False where ``flops`` is a convention, because the work depends on the method or on the data: then no share of
        the machine's peak is said.
    operations
        Of XLA's operations, the compiled program must hold at least one of each entry (``"dot|gemm"``).
    long
        True where the large size takes long and is no other than the small one: checks leave it out.
    threaded
        The size from which Numba's loops run on threads, which is other code; None where they are not two.
    equivalent
        For the tests of the tests: part of a source line -> why a change of that line leaves the result right. With a
        change before it, ``"Add → Sub: + TINY"``, only that change.
    peer
        Another suite that has the kernel.
    derived
        What a kernel of gradients is made from; see `kernels.gradients.gradient_of`.
    tier
        ``bench``, ``core`` or ``full``: which selections measure it.
    version
        Raise it when the meaning of the numbers changes; asv then drops older results.
    """

    name: str
    summary: str
    sizes: tuple[int, ...]
    small: int
    large: int
    inputs: Callable[..., tuple[Any, ...]]
    reference: Callable[..., Any]
    flops: Callable[[int], int]
    bytes: Callable[[int, int], int]
    unavailable: Mapping[str, str] = field(default_factory=dict)
    otherwise: Mapping[str, str] = field(default_factory=dict)
    moves: Mapping[str, str] = field(default_factory=dict)
    needs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    since: Mapping[str, str] = field(default_factory=dict)
    up_to: Mapping[str, int] = field(default_factory=dict)
    loose: Mapping[str, Mapping[str, Tolerance]] = field(default_factory=dict)
    dtypes: tuple[str, ...] = ("float64", "float32")
    least: int = 1
    results: tuple[str, ...] = ("number",)
    rounded: bool = False
    error: Measure | tuple[Measure, ...] = normwise_error
    tolerance: Mapping[str, Tolerance] = field(default_factory=lambda: TOLERANCE)
    mismatches: Mapping[str, float] = field(default_factory=dict)
    align: Callable[[Arrays, Arrays], Arrays] | None = None
    residual: Callable[[Arrays, Arrays], float] | None = None
    any_order: bool = False
    ordered: bool = True
    workspace: Callable[[int, int], int] = lambda size, item: 0
    static: Callable[[int, str], dict[str, Any]] = lambda size, dtype: {}
    quick: Callable[[int, str], dict[str, Any]] | None = None
    devices: Callable[[int], int] | None = None
    counted: bool = True
    operations: tuple[str, ...] = ()
    long: bool = False
    threaded: int | None = None
    equivalent: Mapping[str, str] = field(default_factory=dict)
    peer: Peer | None = None
    derived: Derivation | None = None
    tier: str = "full"
    version: str = "1"
    family: str = ""

    def why_not(self, backend: str, library: str, device: str | None = None, dtype: str | None = None) -> str | None:
        """Return why this backend cannot do the kernel, on a device or in a precision where these are
        named, or None.
        """
        in_precision = [self.unavailable.get(f"{key}:{dtype}") for key in (backend, library)]
        return particular(self.unavailable, backend, library, device) or next(filter(None, in_precision), None)

    def dtypes_on(self, backend: str, library: str) -> tuple[str, ...]:
        """Return the precisions in which this backend can do the kernel, in the kernel's order."""
        return tuple(dtype for dtype in self.dtypes if self.why_not(backend, library, dtype=dtype) is None)

    def other_way(self, backend: str, library: str, device: str | None = None) -> str | None:
        """Return how this backend computes the result in another way than the kernel says, or None."""
        return particular(self.otherwise, backend, library, device)

    def why_moved(self, backend: str, library: str, device: str | None = None) -> str | None:
        """Return why a call of this backend moves more than a number between host and device, or None where
        none may.
        """
        return particular(self.moves, backend, library, device)

    def largest(self, backend: str, library: str, device: str | None = None) -> int | None:
        """Return the largest size measured without asking, or None where there is no such limit."""
        return particular(self.up_to, backend, library, device)

    def allowed_errors(self, backend: str, library: str, dtype: str, device: str | None = None) -> tuple[float, ...]:
        """For each result, and for the residual where there is one: the error above which it is wrong."""
        limits = (particular(self.loose, backend, library, device) or self.tolerance)[dtype]
        count = len(self.results) + (self.residual is not None)
        each = limits if isinstance(limits, tuple) else (limits,) * count
        exact = self.mismatches.get(dtype, 0.0)
        kinds = [*self.results, *["residual"] * (self.residual is not None)]
        return tuple(exact if kind in EXACT else limit for kind, limit in zip(kinds, each, strict=True))

    def allowed_error(self, backend: str, library: str, dtype: str, device: str | None = None) -> float:
        """Return the largest of `allowed_errors`."""
        return max(self.allowed_errors(backend, library, dtype, device))

    def errors(self, inputs: Arrays, results: Arrays, references: Arrays) -> tuple[float, ...]:
        """For each result its error by the kernel's measure, and behind them the residual where there is one.

        All are on the host; ``inputs`` are as they were rounded to the precision. Infinite where results are missing.
        """
        if not len(results) == len(references) == len(self.results):
            return (float("inf"),) * len(self.allowed_errors("", "", self.dtypes[0]))
        wide = tuple(widened(array) for array in results)
        shapes = [
            getattr(one, "shape", ()) == getattr(other, "shape", ())
            for one, other in zip(wide, references, strict=True)
        ]
        aligned = self.align(wide, references) if self.align and all(shapes) else wide
        found = [measure(*pair) for measure, *pair in zip(self.measures, aligned, references, strict=True)]
        if self.residual is not None:
            # Of the shapes that it expects; else it may fail, and the errors are infinite as it is.
            residual = self.residual(tuple(widened(array) for array in inputs), wide) if all(shapes) else float("inf")
            found.append(residual if residual == residual else float("inf"))
        return tuple(found)

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The error measure of each result."""
        each = self.error if isinstance(self.error, tuple) else (self.error,) * len(self.results)
        pairs = zip(self.results, each, strict=True)
        return tuple(share_of_mismatches if kind in EXACT else measure for kind, measure in pairs)

    @property
    def random(self) -> bool:
        """Whether no result is the right one: then the measures are the kernel's own, and compare distributions."""
        return not all(measure.__module__ == normwise_error.__module__ for measure in self.measures)

    def accepted_dtypes(self, dtype: str) -> tuple[tuple[str, ...], ...]:
        """Return the dtypes that each result may have when the inputs are ``dtype``."""
        return tuple(accepted(kind, dtype) for kind in self.results)


def particular(table: Mapping[str, Entry], backend: str, library: str, device: str | None = None) -> Entry | None:
    """Return the entry of the most particular key: backend on device, library on device, backend, library, all."""
    on_device = (f"{backend}@{device}", f"{library}@{device}") if device else ()
    for key in (*on_device, backend, library, *([f"*@{device}"] if device else []), "*"):
        if key in table:
            return table[key]
    return None


def widened(array: Any) -> Any:
    """Return a host array of numbers in float64 or complex128; whole numbers and truth values as they are."""
    import numpy as np

    array = np.asarray(array)
    if array.dtype.kind in "iub":
        return array
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)
