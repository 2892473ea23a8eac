"""Ways from a function of one example to a batch of them: mapped by the library, by hand, in a loop."""

from kernels.kernel import Kernel

FEATURES = 64
UNITS = 64


def batch_and_layer(rng, n):
    """Examples, shape (n, features); weights, (units, features), that leave tanh unsaturated; biases, (units,)."""
    weights = rng.standard_normal((UNITS, FEATURES)) / FEATURES**0.5
    return rng.standard_normal((n, FEATURES)), weights, rng.standard_normal(UNITS)


def layer(x, w, b):
    """Apply a dense layer to a batch."""
    import numpy as np

    return np.tanh(x @ w.T + b)


SIZES = (1, 10, 100, 1_000, 10_000, 100_000)

COMMON = {
    "small": 10,
    "large": 1_000,
    "inputs": batch_and_layer,
    "reference": layer,
    # tanh counts as one.
    "flops": lambda n: n * UNITS * (2 * FEATURES + 2),
    "equivalent": {"0 → 1: w.shape[0]": "the layer is square; tests/property/test_properties.py has one that is not"},
    "bytes": lambda n, item: (n * (FEATURES + UNITS) + UNITS * (FEATURES + 1)) * item,
}

KERNELS = (
    Kernel(
        "vmap_mapped",
        "tanh(Wx + b) of one example, mapped over n by the library (vmap, vectorized_map, guvectorize, vectorize)",
        sizes=SIZES,
        operations=("dot|gemm|matmul|reduce", "tanh"),
        long=True,
        any_order=True,  # torch.vmap makes one product of them, and its result is column by column
        unavailable={"cupy": "CuPy's vectorize maps functions of numbers only"},
        **COMMON,
    ),
    Kernel(
        "vmap_vectorised",
        "tanh(Wx + b) of n examples at once, written for a batch by hand",
        sizes=SIZES,
        operations=("dot|gemm|matmul|reduce", "tanh"),
        **COMMON,
    ),
    Kernel(
        "vmap_loop",
        "tanh(Wx + b) of one example, n times in a loop",
        sizes=SIZES[:-1],
        operations=("while", "tanh"),
        long=True,
        # Unrolled, a thousand examples take torch.compile minutes. Eager JAX compiles the stacking of its results,
        # a program that grows with their number; jax-jit has a loop.
        up_to={"torch-compile": 100, "jax": 1_000, "jax-jit": 10_000, "mlx-compile": 1_000},
        moves={"cupy": "CuPy joins many arrays by a table of their addresses"},
        **COMMON,
    ),
)
