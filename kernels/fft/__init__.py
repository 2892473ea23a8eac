"""Fourier transforms."""

from math import log2

from kernels.kernel import Kernel


def vector(rng, n):
    """One normal vector, shape (n,)."""
    return (rng.standard_normal(n),)


def matrix(rng, n):
    """One normal matrix, shape (n, n)."""
    return (rng.standard_normal((n, n)),)


def cube(rng, n):
    """One normal array, shape (n, n, n)."""
    return (rng.standard_normal((n, n, n)),)


def transform(x):
    """NumPy's transform in float64, over all axes."""
    import numpy as np

    return np.fft.fftn(x)


def half_transform(x):
    """NumPy's transform in float64, half of its coefficients."""
    import numpy as np

    return np.fft.rfft(x)


def operations(axes):
    """Return the usual count for a complex transform (FFTW's "mflops"), halved for real input, of n to the power of
    axes.
    """
    return lambda n: int(2.5 * n**axes * axes * log2(n)) if n > 1 else 0


UNABLE = {"numba": "Numba compiles no Fourier transform", "mlx:float64": "MLX has complex numbers of float32 only"}


KERNELS = (
    Kernel(
        "fft",
        "discrete Fourier transform of a real vector, all n coefficients",
        sizes=(10, 100, 1_000, 10_000, 100_000, 1_000_000),
        small=1_000,
        large=1_000_000,
        inputs=vector,
        reference=transform,
        flops=operations(axes=1),
        bytes=lambda n, item: 3 * n * item,
        results=("complex",),
        operations=("fft",),
        tier="bench",
        unavailable=UNABLE,
    ),
    Kernel(
        "rfft",
        "discrete Fourier transform of a real vector, the first half of its coefficients",
        sizes=(10, 100, 1_000, 10_000, 100_000, 1_000_000),
        small=1_000,
        large=1_000_000,
        inputs=vector,
        reference=half_transform,
        flops=operations(axes=1),
        bytes=lambda n, item: (n + 2 * (n // 2 + 1)) * item,
        results=("complex",),
        operations=("fft",),
        unavailable=UNABLE,
    ),
    Kernel(
        "fft2",
        "discrete Fourier transform of a real n × n matrix, all n² coefficients",
        sizes=(10, 30, 100, 300, 1_000, 3_000),
        small=100,
        large=1_000,
        inputs=matrix,
        reference=transform,
        flops=operations(axes=2),
        bytes=lambda n, item: 3 * n**2 * item,
        up_to={"*": 1_000},
        results=("complex",),
        operations=("fft",),
        unavailable=UNABLE,
    ),
    Kernel(
        "fft3",
        "discrete Fourier transform of a real n × n × n array, all n³ coefficients",
        sizes=(10, 30, 100, 200),
        small=10,
        large=100,
        inputs=cube,
        reference=transform,
        flops=operations(axes=3),
        bytes=lambda n, item: 3 * n**3 * item,
        up_to={"*": 100},
        results=("complex",),
        operations=("fft",),
        unavailable=UNABLE,
    ),
)
