"""Derivatives. NumPy and Numba have no automatic differentiation and take finite differences."""

from kernels.kernel import Kernel


def two_vectors(rng, n):
    """Weights and inputs, shape (n,), away from 0 so that the largest entry is no outlier."""
    return rng.uniform(0.5, 1.5, n), rng.uniform(0.5, 1.5, n)


#: Forward differences keep about half the digits of the precision (square root of its epsilon).
FINITE_DIFFERENCES = {"float64": 1e-4, "float32": 1e-2}

KERNELS = (
    Kernel(
        "gradient",
        "gradient of Σ(wᵢxᵢ)² with respect to w; NumPy and Numba: forward differences, n + 1 evaluations",
        sizes=(10, 100, 1_000, 10_000, 100_000, 1_000_000),
        small=100,
        large=10_000,
        inputs=two_vectors,
        reference=lambda w, x: 2 * w * x * x,
        flops=lambda n: 4 * n,
        bytes=lambda n, item: 3 * n * item,
        up_to={"numpy": 10_000, "numba": 10_000},
        loose={"numpy": FINITE_DIFFERENCES, "numba": FINITE_DIFFERENCES},
    ),
)
