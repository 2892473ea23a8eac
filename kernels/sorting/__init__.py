"""Sorting: comparisons and memory access that depend on the data."""

from kernels.kernel import Kernel


def vector(rng, n):
    """One normal vector, shape (n,)."""
    return (rng.standard_normal(n),)


def ascending(x):
    """NumPy's sort."""
    import numpy as np

    return np.sort(x)


KERNELS = (
    Kernel(
        "sort",
        "a vector in ascending order",
        sizes=(10, 100, 1_000, 10_000, 100_000, 1_000_000),
        small=1_000,
        large=1_000_000,
        inputs=vector,
        reference=ascending,
        flops=lambda n: 0,
        bytes=lambda n, item: 2 * n * item,
        operations=("sort|topk",),
        tier="bench",
    ),
)
