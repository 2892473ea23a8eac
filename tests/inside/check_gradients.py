"""Gradients that are made, of one result and of several, on each backend of a library that differentiates."""

from kernels import BACKENDS, CATALOGUE
from kernels.gradients import gradient_of
from kernels.preparation import load


def main(library):
    counts = {"flops": lambda n: n, "bytes": lambda n, item: n * item}
    product = gradient_of(CATALOGUE["matmul"], lambda a, b, c: (c @ b.T, a.T @ c), by=(0, 1), **counts)
    three = gradient_of(CATALOGUE["elementwise"], of_three, by=(1,), **counts)
    for kernel in (product, three):
        CATALOGUE[kernel.name] = kernel
        for backend in BACKENDS.values():
            if backend.library == library:
                dtype = kernel.dtypes_on(backend.name, library)[0]
                prepared = load(kernel.name, backend.name, 5, dtype=dtype)
                allowed = kernel.allowed_error(backend.name, library, dtype)
                yield {"kernel": kernel.name, "backend": backend.name, "error": prepared.verify(), "allowed": allowed}


def of_three(a, b, total, product, wave):
    """With respect to b, of a + b, a · b and sin(a)."""
    return total + product * a
