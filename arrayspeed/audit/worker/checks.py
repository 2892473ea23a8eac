"""Every kernel of a backend: result, compilation, transfers and work. ``python -m … BACKEND DEVICE KERNEL…``."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from time import perf_counter
from typing import TYPE_CHECKING

from arrayspeed.audit.worker import say
from arrayspeed.audit.worker.program import lacking
from arrayspeed.environments import accelerator
from kernels import BACKENDS, CATALOGUE, NotAvailable, WrongResult
from kernels.backends import Backend, adapter, watch
from kernels.backends.hardware import cores
from kernels.backends.table import CORES
from kernels.backends.watching import HLO, Watch
from kernels.kernel import Kernel
from kernels.limits import too_large
from kernels.preparation import SEED, Prepared, cast, exact_result, leaves, library_function, load

if TYPE_CHECKING:
    from typing import Any

#: Calls under watch.
CALLS = 20


def main(backend: str, device: str, names: list[str]) -> None:
    """Check some kernels, or all, and then what the settings are after all of it."""
    for kernel in CATALOGUE.values():
        why_not = kernel.why_not(backend, BACKENDS[backend].library, device, kernel.dtypes[0])
        if (not names or kernel.name in names) and why_not is None:
            for row in rows_of(kernel, backend, device):
                say({"kernel": kernel.name, "backend": backend} | row)
    say({"kernel": None, "backend": backend} | settings(BACKENDS[backend], device))


def rows_of(kernel: Kernel, backend: str, device: str) -> Iterator[dict[str, Any]]:
    """Yield the checks of one kernel at its small size. A kernel that fails has one row that says how."""
    try:
        yield from passing_rows(kernel, backend, device)
    except NotAvailable as error:
        yield {"check": "result", "passed": None, "detail": str(error)}
    except WrongResult as error:
        yield {"check": "result", "passed": False, "detail": str(error)}
    except Exception as error:
        detail = f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"
        yield {"check": "result", "passed": False, "detail": detail[:300]}


def passing_rows(kernel: Kernel, backend: str, device: str) -> Iterator[dict[str, Any]]:
    """Yield the checks of one kernel that works."""
    prepared = load(kernel.name, backend, kernel.small, device)
    asked = watch(prepared.backend.library)
    count = asked.compilations(prepared.backend.compiled)
    before = count(prepared) if count else 0
    errors = {prepared.dtype: prepared.verify()}
    first = count(prepared) if count else 0
    moved = asked.transfers(prepared, CALLS)
    last = count(prepared) if count else 0
    for dtype in kernel.dtypes[1:]:
        errors[dtype] = load(kernel.name, backend, kernel.small, device, dtype).verify()
    digits = ", ".join(f"{dtype} {error:.0e}" for dtype, error in errors.items())
    yield {"check": "result", "passed": True, "detail": f"dtype and device as asked; error {digits}"}
    yield compilation(asked, count is not None, first - before, last - first)
    yield transfer(moved, kernel.why_moved(backend, prepared.backend.library, device))
    yield work(prepared, asked)
    yield wait(kernel, backend, device)
    if device == "gpu" and kernel.counted and kernel.flops(kernel.large):
        dtype = min(kernel.dtypes)  # float32, whose peak is the higher, where the kernel has it
        yield peak(load(kernel.name, backend, large(kernel, backend), device, dtype))


def peak(prepared: Prepared) -> dict[str, Any]:
    """Return whether calls take at least as long as the card's arithmetic does at its peak: a wait that does not wait
    makes them shorter.
    """
    row: dict[str, Any] = {"check": "peak"}
    card = accelerator.find()
    limit = card and card.peak(prepared.dtype)
    if not limit:
        return row | {"passed": None, "detail": "the peak of this kind of card is not known here"}
    prepared.call()
    shortest = float("inf")
    for _ in range(5):
        started = perf_counter()
        prepared.call()
        shortest = min(shortest, perf_counter() - started)
    rate = prepared.kernel.flops(prepared.size) / shortest
    detail = f"{rate / 1e12:.3g} of {limit / 1e12:.3g} TFLOP/s in {prepared.dtype} at size {prepared.size:,}"
    return row | {"passed": rate <= limit, "detail": detail}


def compilation(asked: Watch, watched: bool, at_first: int, later: int) -> dict[str, Any]:
    """Return whether calls compile after the first."""
    row: dict[str, Any] = {"check": "compilation"}
    if not watched and asked.uncounted:
        return row | {"passed": None, "detail": asked.uncounted}
    if not watched:
        return row | {"passed": True, "detail": "nothing is compiled: there is no compiler in this backend"}
    if at_first == 0:
        return row | {"passed": False, "detail": "the watch did not see the first call compile, so it proves nothing"}
    return row | {"passed": later == 0, "detail": f"{at_first} at the first call, {later} in {CALLS} more"}


def transfer(moved: list[str] | None, allowed: str | None = None) -> dict[str, Any]:
    """Return whether calls move arrays between host and device, but for what the kernel's entry explains."""
    row: dict[str, Any] = {"check": "transfer"}
    if moved is None:
        return row | {"passed": True, "detail": "inputs and results are in the same memory"}
    seen = "; ".join(f"{count / CALLS:g} a call: {what}" for what, count in Counter(moved).most_common())
    if moved and allowed:
        return row | {"passed": True, "detail": f"{allowed}: {seen}"[:300]}
    return row | {"passed": not moved, "detail": seen[:300] if moved else f"none in {CALLS} calls"}


def work(prepared: Prepared, asked: Watch) -> dict[str, Any]:
    """Return whether the program computes from its inputs: other inputs give another result, and the right one."""
    import numpy as np

    row: dict[str, Any] = {"check": "work"}
    kernel = prepared.kernel
    other = kernel.inputs(np.random.default_rng([SEED + 1, prepared.size]), prepared.size)
    arguments_from = library_function(kernel, prepared.backend)[1]
    given = tuple(cast(array, prepared.dtype) for array in other)
    result = prepared.to_host(prepared.function(*arguments_from(prepared.adapter, *given)))
    expected, before = exact_result(kernel, other, prepared.dtype, prepared.static), prepared.reference()
    errors = kernel.errors(given, leaves(result), leaves(expected))
    allowed = kernel.allowed_errors(prepared.backend.name, prepared.backend.library, prepared.dtype, prepared.device)
    if not all(error <= limit for error, limit in zip(errors, allowed, strict=True)):
        return row | {"passed": False, "detail": f"other inputs give a wrong result: error {max(errors):.0e}"}
    first = prepared.to_host(prepared.call())
    same = all(np.array_equal(a, b) for a, b in zip(leaves(result), leaves(first), strict=True))
    # Of random numbers there is no reference to differ; of a constant it does not.
    constant = not kernel.random and all(
        np.array_equal(a, b) for a, b in zip(leaves(expected), leaves(before), strict=True)
    )
    if same and not constant:
        return row | {"passed": False, "detail": "other inputs give the same result"}
    text = asked.program(prepared) if prepared.backend.compiled and asked.language == HLO else None
    if text is not None and (missing := lacking(kernel, text)):
        return row | {"passed": False, "detail": f"the compiled program has no {' and no '.join(missing)}"}
    program = "; its operations are in the compiled program" if text is not None else ""
    return row | {"passed": True, "detail": f"other inputs give their own right result{program}"}


def wait(kernel: Kernel, backend: str, device: str) -> dict[str, Any]:
    """Return whether results are complete when a call returns: of large arrays, which take their time."""
    row: dict[str, Any] = {"check": "wait"}
    if adapter(BACKENDS[backend].library, device).wait is None:
        return row | {"passed": True, "detail": "every call is synchronous on this device"}
    size = large(kernel, backend)
    prepared = load(kernel.name, backend, size, device)
    prepared.call()
    asked = watch(prepared.backend.library)
    late = sum(not asked.complete(prepared, prepared.call()) for _ in range(5))
    return row | {"passed": not late, "detail": f"{5 - late} of 5 results complete on return, at size {size:,}"}


def large(kernel: Kernel, backend: str) -> int:
    """Return the kernel's large size, or its small one where the large takes long or does not fit."""
    if kernel.long or kernel.devices or too_large(kernel, BACKENDS[backend], kernel.large, kernel.dtypes[0]):
        return kernel.small
    return kernel.large


def settings(backend: Backend, device: str) -> dict[str, Any]:
    """Return whether precision and threads are what is declared, after everything ran."""
    row: dict[str, Any] = {"check": "settings"}
    try:
        found = adapter(backend.library, device).settings()
    except NotAvailable as error:
        return row | {"passed": None, "detail": str(error)}
    shown = ", ".join(f"{name} {value}" for name, value in found.items()) or "none to set"
    promised = {name: str(cores()) if value == CORES else value for name, value in backend.promised.items()}
    wrong = [
        f"{name} is {found.get(name)}, not {value}" for name, value in promised.items() if found.get(name) != value
    ]
    return row | {"passed": not wrong, "detail": "; ".join(wrong) or shown}


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
