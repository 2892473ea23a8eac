"""Linear algebra: bound by arithmetic when large."""

from kernels.kernel import Kernel

#: What XLA calls a matrix product, or the routine that computes it.
PRODUCT = ("dot|gemm|matmul",)

SIZES = (10, 30, 100, 300, 1_000, 2_000, 3_000)


def matrix(rng, n):
    """One normal matrix, shape (n, n)."""
    return (rng.standard_normal((n, n)),)


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
        operations=PRODUCT,
        tier="bench",
    ),
    Kernel(
        "matmul_transposed",
        "x · xᵀ of a square matrix",
        sizes=(10, 30, 100, 300, 1_000, 3_000, 10_000),
        small=100,
        large=3_000,
        inputs=matrix,
        reference=lambda x: x @ x.T,
        # The result is symmetric, so half of a full product is enough. NumPy and Numba do that half (BLAS's
        # syrk); who computes all of the product does twice this work.
        flops=lambda n: n**2 * (n + 1),
        bytes=lambda n, item: 2 * n**2 * item,
        up_to={"*": 3_000},
        operations=PRODUCT,
    ),
)
