"""Every kernel of a library against its float64 reference."""

from kernels import BACKENDS, CATALOGUE, NotAvailable
from kernels.catalogue import backends_of
from kernels.preparation import load

#: Backends whose compilers take seconds for each program.
SAMPLED = ("torch-compile", "mlx-compile")

POSSIBLE = [kernel for kernel in CATALOGUE.values() if {*SAMPLED} <= {backend.name for backend in backends_of(kernel)}]

#: Family -> its first kernel that all of them can compile.
FIRST = {kernel.family: kernel.name for kernel in reversed(POSSIBLE)}


def sizes_of(kernel, library=None):
    """1 or the least, an odd one, and the small one; of a kernel on several devices, one device.

    Of Numba's also one with enough elements for its loops on several threads, which are other code.
    """
    if kernel.devices is not None:
        return (1,)
    threaded = [kernel.threaded] if library == "numba" and kernel.threaded else []
    return tuple(dict.fromkeys((max(1, kernel.least), max(7, kernel.least), kernel.small, *threaded)))


def sizes_on(kernel, backend, dtype):
    """As `sizes_of`. Of a sampled backend every size in the first precision that it has of one kernel a family, that
    precision of other kernels at the small size, and every further precision at the odd one.
    """
    sizes = sizes_of(kernel, backend.library)
    if backend.name not in SAMPLED:
        return sizes
    if dtype != kernel.dtypes_on(backend.name, backend.library)[0]:
        return sizes[-2:][:1]
    return sizes if kernel.name == FIRST[kernel.family] else sizes[-1:]


def main(library, *chosen):
    """What was chosen of a library: kernel, backend and dtype, with colons between them."""
    for kernel in CATALOGUE.values():
        for backend in BACKENDS.values():
            if backend.library == library:
                for dtype in kernel.dtypes_on(backend.name, library):
                    if f"{kernel.name}:{backend.name}:{dtype}" in chosen:
                        for size in sizes_on(kernel, backend, dtype):
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
