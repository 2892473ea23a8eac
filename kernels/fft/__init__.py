"""Fourier transforms."""

from math import log2

from kernels.kernel import Kernel


def vector(rng, n):
    """One normal vector, shape (n,)."""
    return (rng.standard_normal(n),)


def transform(x):
    """NumPy's transform in float64."""
    import numpy as np

    return np.fft.fft(x)


KERNELS = (
    Kernel(
        "fft",
        "discrete Fourier transform of a real vector, all n coefficients",
        sizes=(10, 100, 1_000, 10_000, 100_000, 1_000_000),
        small=1_000,
        large=1_000_000,
        inputs=vector,
        reference=transform,
        # The usual count for a complex transform (FFTW's "mflops"), halved for real input.
        flops=lambda n: int(2.5 * n * log2(n)) if n > 1 else 0,
        bytes=lambda n, item: 3 * n * item,
        results=("complex",),
        operations=("fft",),
        tier="bench",
        unavailable={"numba": "Numba compiles no Fourier transform"},
    ),
)
