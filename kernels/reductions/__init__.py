"""Many numbers to few: sums, counts, the place of the largest."""

from kernels.kernel import Kernel
from kernels.reasons import MLX_SINGLE

VECTORS = {
    "sizes": (10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000),
    "small": 1_000,
    "large": 1_000_000,
}

BINS = 100
LOW, HIGH = -4.0, 4.0

#: Numba's loops: from which length on threads, and how much is left to a loop of single elements.
THREADS = {"GRAIN": "from which length threads are used", "8 → 9: // 8": "what is left to the loop of single elements"}


def positive(rng, n):
    """Uniform numbers, shape (n,), all positive: a sum near 0 would have no relative error to speak of."""
    return (rng.uniform(0, 1, n),)


def positive_matrix(rng, n):
    """Uniform numbers, shape (n, n)."""
    return (rng.uniform(0, 1, (n, n)),)


def vector(rng, n):
    """One normal vector, shape (n,)."""
    return (rng.standard_normal(n),)


def wide_vector(rng, n):
    """One normal vector of standard deviation 3, shape (n,): wider, and one element would hide all others."""
    return (3 * rng.standard_normal(n),)


def well_inside_bins(rng, n):
    """Nearly normal numbers, shape (n,), in the middle of their bins: every precision counts the same."""
    import numpy as np

    width = (HIGH - LOW) / BINS
    bins = np.floor((np.clip(rng.standard_normal(n), -3.99, 3.99) - LOW) / width)
    return (LOW + width * (bins + 0.1 + 0.8 * rng.uniform(0, 1, n)),)


def log_of_sum(x):
    """Return the logarithm of Σ exp(xᵢ), shifted by the largest."""
    import numpy as np

    largest = x.max()
    return largest + np.log(np.exp(x - largest).sum())


def counts(x):
    """Return how many numbers each bin holds."""
    import numpy as np

    return np.histogram(x, BINS, (LOW, HIGH))[0]


KERNELS = (
    Kernel(
        "sum",
        "sum of a vector",
        inputs=positive,
        reference=lambda x: x.sum(),
        flops=lambda n: n,
        bytes=lambda n, item: n * item,
        up_to={"*": 1_000_000},
        operations=("reduce|add",),
        threaded=40_001,
        equivalent=THREADS,
        tier="bench",
        **VECTORS,
    ),
    Kernel(
        "sum_columns",
        "sum of each column of an n × n matrix",
        sizes=(10, 30, 100, 300, 1_000, 3_000, 10_000),
        small=100,
        large=3_000,
        inputs=positive_matrix,
        reference=lambda x: x.sum(axis=0),
        flops=lambda n: n**2,
        bytes=lambda n, item: (n**2 + n) * item,
        up_to={"*": 3_000},
        operations=("reduce|add",),
        threaded=201,
        equivalent=THREADS,
    ),
    Kernel(
        "argmax",
        "index of the largest element of a vector",
        inputs=vector,
        reference=lambda x: x.argmax(),
        results=("index",),
        rounded=True,
        # By convention: comparisons.
        flops=lambda n: n,
        counted=False,
        bytes=lambda n, item: n * item,
        up_to={"*": 1_000_000},
        operations=("reduce|compare",),
        equivalent={"place = 0": "where the search starts"},
        **VECTORS,
    ),
    Kernel(
        "cumulative_sum",
        "running sum of a vector",
        inputs=vector,
        reference=lambda x: x.cumsum(),
        flops=lambda n: n,
        bytes=lambda n, item: 2 * n * item,
        # The sums of normal numbers stay small beside what is added and taken away again.
        tolerance={"float64": 1e-10, "float32": 1e-3},
        # TensorFlow has XLA reduce a window as long as the vector for each element: n² additions.
        up_to={"tensorflow-xla": 10_000, "*": 1_000_000},
        operations=("reduce-window|while|add",),
        tier="core",
        **VECTORS,
    ),
    Kernel(
        "logsumexp",
        "logarithm of the sum of exponentials of a vector, by the library's own function; SciPy's beside NumPy, which "
        "also takes weights and signs and is slower than the formula",
        inputs=wide_vector,
        reference=log_of_sum,
        # An exponential, a subtraction, an addition and a comparison.
        flops=lambda n: 4 * n,
        bytes=lambda n, item: n * item,
        needs={"numpy": ("scipy",)},
        unavailable=MLX_SINGLE,
        # One number, which TF32 may happen to hold to four digits.
        tolerance={"float64": 1e-10, "float32": 1e-5},
        up_to={"*": 1_000_000},
        operations=("exponential|exp", "reduce|add"),
        threaded=40_001,
        equivalent=THREADS,
        **VECTORS,
    ),
    Kernel(
        "histogram",
        f"how many numbers of a vector each of {BINS} equal bins holds",
        inputs=well_inside_bins,
        reference=counts,
        results=("count",),
        # A subtraction and a product.
        flops=lambda n: 2 * n,
        bytes=lambda n, item: n * item + 8 * BINS,
        up_to={"*": 1_000_000},
        operations=("scatter|reduce|sort|while",),
        threaded=40_001,
        equivalent=THREADS,
        tier="core",
        **VECTORS,
    ),
)
