"""Random numbers by each library's generator.

No result is the right one here: what must be right is the distribution, and its measure is in standard deviations.
"""

from kernels.kernel import Kernel

#: Standard deviations from what normal numbers are expected to show. A correct generator goes past this for fewer
#: than one seed in 100,000, and the seed is fixed. Few numbers show little: a wrong scale shows from about 100 on.
TOLERANCE = {"float64": 6.0, "float32": 6.0}


def seed(rng, n):
    """Return a seed of 31 bits, which every generator takes."""
    import numpy as np

    return (np.asarray(rng.integers(2**31), dtype=np.uint32),)


def probabilities(seed, n, dtype):
    """Return where the distribution function of n sorted numbers is expected: the middle of n equal parts of 0 … 1."""
    import numpy as np

    return (np.arange(n) + 0.5) / n


def departure(numbers, expected):
    """Return how far numbers are from the standard normal distribution, in standard deviations.

    The larger of two: Kolmogorov and Smirnov's distance between the distribution functions, for the shape (at its
    most variable, the median, its standard deviation is 1 / 2√n); and the sum of squares, for the scale
    (Fisher: √(2χ²) is normal about √(2n − 1) with standard deviation 1).
    """
    from math import erf, sqrt

    import numpy as np

    n = expected.size
    if numbers.shape != expected.shape or not np.isfinite(numbers).all():
        return float("inf")
    x = np.sort(numbers.astype(np.float64)) / sqrt(2)
    distribution = (1 + np.fromiter(map(erf, x), float, n)) / 2
    shape = 2 * sqrt(n) * float(np.max(np.abs(distribution - expected)))
    scale = abs(sqrt(4 * float(x @ x)) - sqrt(2 * n - 1))
    return max(shape, scale)


def seed_and_probabilities(seed, n, dtype):
    """Return what the numbers and the new key are measured against."""
    import numpy as np

    return probabilities(seed, n, dtype), np.array([0, seed], np.uint32)


def change(result, expected):
    """Of a key, whether it is another than the one that was split."""
    return 0.0 if result.shape == expected.shape and (result != expected).any() else float("inf")


OPERATIONS = ("xor|rng|threefry", "sqrt|log")

#: Of 24 bits: uniform numbers and the error function's inverse.
MLX_SINGLE = {"mlx:float64": "MLX draws numbers of float32 and converts them"}

STATEFUL = "its generator has a state and no key to split"

COMMON = {
    "sizes": (1, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000),
    "small": 1_000,
    "large": 1_000_000,
    "inputs": seed,
    # By convention: the work depends on the generator and the method.
    "flops": lambda n: 0,
    "bytes": lambda n, item: n * item,
    "tolerance": TOLERANCE,
    "static": lambda n, dtype: {"n": n, "dtype": dtype},
}

KERNELS = (
    Kernel(
        "normal",
        "n standard normal numbers; track_error: standard deviations from the normal distribution",
        reference=probabilities,
        error=departure,
        operations=OPERATIONS,
        unavailable=MLX_SINGLE,
        tier="core",
        **COMMON,
    ),
    Kernel(
        "normal_split",
        "split a key, draw n standard normal numbers with one half; returns them and the other half",
        reference=seed_and_probabilities,
        error=(departure, change),
        results=("number", "uint32"),
        operations=OPERATIONS,
        unavailable=dict.fromkeys(("numpy", "numba", "torch", "cupy"), STATEFUL) | MLX_SINGLE,
        **COMMON,
    ),
)
