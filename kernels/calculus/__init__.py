"""A polynomial and derivatives. NumPy, CuPy and Numba have no automatic differentiation and take finite differences."""

from kernels.kernel import Kernel
from kernels.reasons import MLX_SINGLE


def matrix(rng, n):
    """One normal matrix, shape (n, n)."""
    return (rng.standard_normal((n, n)),)


def vector(rng, n):
    """Return where the polynomial is differentiated, shape (n,), around 1."""
    return (rng.uniform(0.5, 1.5, n),)


def two_vectors(rng, n):
    """Weights and inputs, shape (n,), away from 0 so that the largest entry is no outlier."""
    return rng.uniform(0.5, 1.5, n), rng.uniform(0.5, 1.5, n)


#: Of the logistic regression whose second derivatives are taken.
SAMPLES = 1_000


def labelled(rng, n):
    """Features, shape (samples, n); labels of 1 and −1, shape (samples,); weights, shape (n,)."""
    return (
        rng.standard_normal((SAMPLES, n)),
        2.0 * rng.integers(0, 2, SAMPLES) - 1,
        rng.standard_normal(n) / n**0.5,
    )


def curvature(x, y, w):
    """Xᵀ·diag(p(1 − p))·X over the number of samples (Hastie, Tibshirani and Friedman, 4.4)."""
    import numpy as np

    p = 1 / (1 + np.exp(-y * (x @ w)))
    return (x * (p * (1 - p))[:, None]).T @ x / len(y)


#: The libraries that differentiate nothing: they evaluate the function several times, at points close together.
DIFFERENCES = ("numpy", "numba", "cupy")

#: Forward differences keep about half the digits of the precision (square root of its epsilon).
FORWARD_DIFFERENCES = {"float64": 1e-4, "float32": 1e-2}

#: Order -> what central differences keep: with the best step, about epsilon to the power 2 / (order + 2).
CENTRAL_DIFFERENCES = {
    1: {"float64": 1e-9, "float32": 5e-4},
    2: {"float64": 1e-6, "float32": 1e-2},
    3: {"float64": 1e-5, "float32": 3e-2},
}


#: Changes that leave the result within what is tolerated. The step of a difference is a matter of accuracy alone.
ACCURACY = "the step of a difference: accuracy only"
DERIVATIVE = {
    "2 → 3: eps **": ACCURACY,
    "2 → 3: step(x, ": ACCURACY,
    "3 → 4: step(x, ": ACCURACY,
    "0 → 1: create_graph": "what PyTorch keeps for a second derivative; too little is an error, more is only slower",
    "Gt → LtE: create_graph": "as above",
}
GRADIENT = {
    "eps **": ACCURACY,
    "Add → Sub: + step": "a difference backwards is one too",
    "0.0 → 1.0: total = 0.0": "what is added to both sides of a difference",
}
HESSIAN = {
    "3 → 4: ** (1 / 3)": ACCURACY,
    "USub → UAdd: -y * (x @ w)": "second derivatives do not depend on this sign",
}


def derivative(order, reference, flops, operations):
    """One derivative of the polynomial, element by element."""
    return Kernel(
        f"derivative{order}",
        f"derivative {order} of −4x³ + 9x² + 6x − 3, element by element; NumPy, CuPy and Numba: central differences",
        sizes=(10, 100, 1_000, 10_000, 100_000, 1_000_000),
        small=1_000,
        large=1_000_000,
        inputs=vector,
        reference=reference,
        # By convention those of the derivative's own polynomial by Horner's rule, whichever way it is found.
        flops=lambda n: flops * n,
        bytes=lambda n, item: 2 * n * item,
        operations=(operations,),
        threaded=40_000,
        equivalent=DERIVATIVE,
        otherwise=dict.fromkeys(DIFFERENCES, "central finite differences"),
        loose=dict.fromkeys(DIFFERENCES, CENTRAL_DIFFERENCES[order]),
    )


KERNELS = (
    Kernel(
        "polynomial",
        "−4x³ + 9x² + 6x − 3 of each element of an n × n matrix",
        sizes=(10, 100, 1_000, 3_000, 10_000),
        small=100,
        large=3_000,
        inputs=matrix,
        reference=lambda x: -4 * x * x * x + 9 * x * x + 6 * x - 3,
        # As it is written: Horner's rule would take 6.
        flops=lambda n: 9 * n**2,
        bytes=lambda n, item: 2 * n**2 * item,
        up_to={"*": 3_000},
        operations=("multiply", "add|subtract"),
        threaded=200,
    ),
    Kernel(
        "gradient",
        "gradient of Σ(wᵢxᵢ)² with respect to w; NumPy, CuPy and Numba: forward differences, n + 1 evaluations",
        sizes=(10, 100, 1_000, 10_000, 100_000, 1_000_000),
        small=100,
        large=10_000,
        inputs=two_vectors,
        reference=lambda w, x: 2 * w * x * x,
        flops=lambda n: 4 * n,
        operations=("multiply",),
        equivalent=GRADIENT,
        tier="bench",
        bytes=lambda n, item: 3 * n * item,
        otherwise=dict.fromkeys(DIFFERENCES, "forward finite differences, n + 1 evaluations"),
        up_to=dict.fromkeys(DIFFERENCES, 10_000),
        loose=dict.fromkeys(DIFFERENCES, FORWARD_DIFFERENCES),
    ),
    derivative(1, lambda x: (-12 * x + 18) * x + 6, flops=4, operations="multiply"),
    derivative(2, lambda x: -24 * x + 18, flops=2, operations="multiply|add|subtract"),
    # A constant: a compiler that simplifies what it differentiates is left with filling an array.
    derivative(3, lambda x: 0 * x - 24, flops=0, operations="broadcast|constant"),
    Kernel(
        "hessian",
        f"second derivatives of the loss of a logistic regression on {SAMPLES:,} samples by its n weights; NumPy, CuPy "
        "and Numba: central differences of the gradient",
        sizes=(2, 5, 10, 30, 100, 300),
        small=10,
        large=100,
        inputs=labelled,
        reference=curvature,
        moves={"cupy": "CuPy joins many arrays by a table of their addresses"},
        # Those of the formula's product, whichever way it is found.
        flops=lambda n: 2 * SAMPLES * n**2,
        counted=False,
        bytes=lambda n, item: (SAMPLES * (n + 1) + n + n**2) * item,
        operations=("dot|gemm|matmul|custom-call|fusion",),
        unavailable=MLX_SINGLE,
        equivalent=HESSIAN,
        otherwise=dict.fromkeys(DIFFERENCES, "central finite differences of the gradient"),
        loose={library: {"float64": 1e-8, "float32": 1e-2} for library in DIFFERENCES},
        up_to={"*": 100},
        any_order=True,  # it is symmetric
    ),
)
