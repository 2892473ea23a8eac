"""Every kernel of a library against its float64 reference."""

from kernels import BACKENDS, CATALOGUE, NotAvailable
from kernels.preparation import load


def sizes_of(kernel, library=None):
    """1, an odd one, and the one at which articles measure small; of a kernel on several devices, one device.

    Of Numba's also one with enough elements for its loops on several threads, which are other code.
    """
    if kernel.devices is not None:
        return (1,)
    matrix = kernel.bytes(1_000, 1) / 1_000 > 1_000  # then the size is a side
    size = 200 if matrix else 40_000
    threaded = library == "numba" and kernel.family in LOOPS and size <= (kernel.largest(library, library) or size)
    return tuple(dict.fromkeys((1, 7, kernel.small, *([size] if threaded else []))))


#: The families that Numba computes in loops of its own, on several threads when long.
LOOPS = ("elementwise", "calculus", "learning")


def main(library, *chosen):
    """What was chosen of a library: kernel, backend and dtype, with colons between them."""
    for kernel in CATALOGUE.values():
        for backend in BACKENDS.values():
            if backend.library == library and kernel.why_not(backend.name, library) is None:
                for dtype in kernel.dtypes:
                    if f"{kernel.name}:{backend.name}:{dtype}" in chosen:
                        for size in sizes_of(kernel, library):
                            yield check(kernel, backend, dtype, size)


def check(kernel, backend, dtype, size):
    where = {"kernel": kernel.name, "backend": backend.name, "dtype": dtype, "size": size}
    try:
        prepared = load(kernel.name, backend.name, size, "cpu", dtype)
        error = prepared.verify()
        again = prepared.error()
    except NotAvailable as problem:
        return where | {"missing": str(problem)}
    except Exception as problem:
        return where | {"problem": f"{type(problem).__name__}: {problem}"[:500]}
    return where | {"error": error, "again": again}
