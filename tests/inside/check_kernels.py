"""Every kernel of a library against its float64 reference."""

from kernels import BACKENDS, CATALOGUE, NotAvailable
from kernels.preparation import load


def sizes_of(kernel):
    """1, an odd one, and the one at which articles measure small; of a kernel on several devices, one device."""
    return tuple(dict.fromkeys((1, 7, kernel.small))) if kernel.devices is None else (1,)


def main(library):
    for kernel in CATALOGUE.values():
        for backend in BACKENDS.values():
            if backend.library == library and kernel.why_not(backend.name, library) is None:
                for dtype in kernel.dtypes:
                    for size in sizes_of(kernel):
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
