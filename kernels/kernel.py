"""What a kernel is: inputs for each size, a float64 reference, and counts of work."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

#: Normwise relative error above which a result is wrong rather than imprecise. float32 admits the rounding of
#: a long sum, and refuses TF32 (10 bits of mantissa, about 1e-3).
TOLERANCE = {"float64": 1e-10, "float32": 1e-4}


def normwise_error(result: Any, reference: Any) -> float:
    """Largest error of any element, relative to the largest element of the reference.

    Elementwise relative error says nothing where the exact value is close to 0 (the sine of a multiple of π,
    most of a Fourier transform); this measure (Higham, Accuracy and Stability of Numerical Algorithms,
    2nd ed., chapter 6) does not have that flaw.
    """
    import numpy as np

    reference = np.asarray(reference)
    result = np.asarray(result)
    if result.shape != reference.shape:
        return float("inf")
    wide = result.astype(np.complex128 if np.iscomplexobj(result) else np.float64)
    scale = float(np.max(np.abs(reference)))
    error = float(np.max(np.abs(wide - reference)))
    if error != error:  # NaN: the result has one, or the reference
        return float("inf")
    return error / scale if scale else error


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
        Backend or library -> why it cannot do this kernel.
    otherwise
        Backend or library -> how it computes the result in another way: its time is not of the same work. Only what
        differs in kind belongs here. A library's own algorithm for the same operation (a sort, a generator, a routine
        of BLAS, a map that is a loop) is part of what is measured.
    up_to
        Backend or library -> the largest size measured without asking (``ARRAYSPEED_LARGE=1`` asks). The key
        ``"*"`` is for all the others. For sizes that take minutes or much memory.
    dtypes
        Precisions measured; the first is the kernel's own.
    complex_result
        True where a real input gives a complex result.
    last_dtypes
        Dtypes of the last results, where these are not numbers of the kernel's precision (a random key).
    error
        ``error(result, reference)``: the error measure of ``track_error``.
    tolerance
        dtype -> error above which a result is wrong.
    loose
        Backend or library -> tolerances of its own, where its method is less accurate by nature.
    static
        ``static(size, dtype)``: keyword arguments that are part of the program, not data (a shape, a count).
    devices
        ``devices(size)``: how many devices the work is spread over; None for a kernel of one device.
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
    up_to: Mapping[str, int] = field(default_factory=dict)
    dtypes: tuple[str, ...] = ("float64", "float32")
    complex_result: bool = False
    last_dtypes: tuple[str, ...] = ()
    error: Callable[[Any, Any], float] = normwise_error
    tolerance: Mapping[str, float] = field(default_factory=lambda: TOLERANCE)
    loose: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    static: Callable[[int, str], dict[str, Any]] = lambda size, dtype: {}
    devices: Callable[[int], int] | None = None
    version: str = "1"
    family: str = ""

    def why_not(self, backend: str, library: str) -> str | None:
        """Why this backend cannot do the kernel, or None."""
        return self.unavailable.get(backend) or self.unavailable.get(library)

    def other_way(self, backend: str, library: str) -> str | None:
        """How this backend computes the result in another way than the kernel says, or None."""
        return self.otherwise.get(backend) or self.otherwise.get(library)

    def largest(self, backend: str, library: str) -> int | None:
        """The largest size measured without asking, or None where there is no such limit."""
        for key in (backend, library, "*"):
            if key in self.up_to:
                return self.up_to[key]
        return None

    def allowed_error(self, backend: str, library: str, dtype: str) -> float:
        """Error above which a result of this backend is wrong."""
        limits = self.loose.get(backend) or self.loose.get(library) or self.tolerance
        return limits[dtype]

    def result_dtype(self, dtype: str) -> str:
        """Name of the result's dtype when the inputs are ``dtype``."""
        return {"float64": "complex128", "float32": "complex64"}[dtype] if self.complex_result else dtype

    def result_dtypes(self, dtype: str, count: int) -> tuple[str, ...]:
        """Names of the dtypes of ``count`` results when the inputs are ``dtype``."""
        return (self.result_dtype(dtype),) * (count - len(self.last_dtypes)) + self.last_dtypes
