"""Linear algebra: bound by arithmetic when large."""

from kernels.kernel import Kernel

SIZES = (10, 30, 100, 300, 1_000, 2_000, 3_000)


def two_matrices(rng, n):
    """Two normal matrices, shape (n, n)."""
    return rng.standard_normal((n, n)), rng.standard_normal((n, n))


KERNELS = (
    Kernel(
        "matmul",
        "A · B of two square matrices",
        sizes=SIZES,
        small=100,
        large=2_000,
        inputs=two_matrices,
        reference=lambda a, b: a @ b,
        flops=lambda n: 2 * n**3,
        bytes=lambda n, item: 3 * n**2 * item,
    ),
)
