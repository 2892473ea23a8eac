"""Memory access by indices, masks and the other axis: bound by where the data is, not by arithmetic."""

from kernels.kernel import Kernel

VECTORS = {
    "sizes": (10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000),
    "small": 1_000,
    "large": 1_000_000,
    "up_to": {"*": 1_000_000},
}

#: A copy has one right result in every precision.
COPY = {"rounded": True, "tolerance": {"float64": 0.0, "float32": 0.0}, "flops": lambda n: 0}

EQUIVALENT = {"GRAIN": "from which length threads are used"}


def vector_and_places(rng, n):
    """Return a normal vector and places in it, int64, both of shape (n,)."""
    return rng.standard_normal(n), rng.integers(0, n, n)


def matrix(rng, n):
    """One normal matrix, shape (n, n)."""
    return (rng.standard_normal((n, n)),)


def kept(n):
    """Return how many elements a mask keeps: half, and never none."""
    return (n + 1) // 2


def vector_and_mask(rng, n):
    """Return a normal vector and a mask of as many true elements as `kept` says, in any order; both of shape (n,)."""
    import numpy as np

    return rng.standard_normal(n), rng.permutation(np.arange(n) < kept(n))


def added(values, places):
    """Zeros to which each value is added at its place."""
    import numpy as np

    return np.bincount(places, values, len(values))


def transposed(x):
    """xᵀ as an array of its own."""
    return x.T.copy()


KERNELS = (
    Kernel(
        "gather",
        "x[i], n random places of a vector",
        inputs=vector_and_places,
        reference=lambda x, places: x[places],
        bytes=lambda n, item: 2 * n * item + 8 * n,
        operations=("gather|dynamic-slice",),
        threaded=40_000,
        equivalent=EQUIVALENT,
        tier="core",
        **COPY,
        **VECTORS,
    ),
    Kernel(
        "scatter_add",
        "out[i] += v at n random places of a vector of zeros",
        inputs=vector_and_places,
        reference=added,
        flops=lambda n: n,
        bytes=lambda n, item: 2 * n * item + 8 * n,
        ordered=False,
        operations=("scatter|while",),
        tier="core",
        **VECTORS,
    ),
    Kernel(
        "transpose",
        "xᵀ of a square matrix, as an array of its own",
        sizes=(10, 30, 100, 300, 1_000, 3_000, 10_000),
        small=100,
        large=3_000,
        up_to={"*": 3_000},
        least=2,  # of one element, what is no view and what is one are the same to NumPy and PyTorch
        inputs=matrix,
        reference=transposed,
        bytes=lambda n, item: 2 * n**2 * item,
        operations=("transpose|copy",),
        threaded=200,
        equivalent=EQUIVALENT
        | {
            "32 → 33: SIDE": "the side of a block",
            "0 → 1: SIDE": "the matrix is square",
            "1 → 2: SIDE": "a block more, which is empty, or a part of it twice",
            "Sub → Add: + SIDE - 1": "a block more, which is empty",
        },
        **COPY,
    ),
    Kernel(
        "compress",
        "the elements of a vector whose mask is true, half of them, in order",
        inputs=vector_and_mask,
        reference=lambda x, mask, count: x[mask],
        bytes=lambda n, item: (n + kept(n)) * item + n,
        static=lambda n, dtype: {"count": kept(n)},
        unavailable={"mlx": "MLX takes no mask as an index, and has no nonzero"},
        operations=("gather|scatter|sort|dynamic-slice",),
        **COPY,
        # What TensorFlow makes of it takes XLA longer to compile the longer the vector is.
        **VECTORS | {"up_to": {"tensorflow-xla": 100_000, "*": 1_000_000}},
    ),
)
