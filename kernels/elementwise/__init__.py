"""Element by element: bound by memory bandwidth when large, by the cost of a call when small."""

from kernels.kernel import Kernel

SIZES = (10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000)


def vector(rng, n):
    """One normal vector, shape (n,)."""
    return (rng.standard_normal(n),)


def two_vectors(rng, n):
    """Two normal vectors, shape (n,)."""
    return rng.standard_normal(n), rng.standard_normal(n)


def sin(x):
    """NumPy's sine, imported when it is needed."""
    import numpy as np

    return np.sin(x)


#: The largest size is for GPUs: a process takes up to 20 GiB of the host's memory for it.
COMMON = {
    "sizes": SIZES,
    "small": 1_000,
    "large": 1_000_000,
    "up_to": {"*": 10_000_000},
    "threaded": 40_000,
    "equivalent": {"GRAIN": "from which length threads are used"},
}

KERNELS = (
    Kernel(
        "add",
        "a + b",
        inputs=two_vectors,
        reference=lambda a, b: a + b,
        flops=lambda n: n,
        bytes=lambda n, item: 3 * n * item,
        operations=("add",),
        tier="bench",
        **COMMON,
    ),
    Kernel(
        "multiply",
        "a · b, element by element",
        inputs=two_vectors,
        reference=lambda a, b: a * b,
        flops=lambda n: n,
        bytes=lambda n, item: 3 * n * item,
        operations=("multiply",),
        **COMMON,
    ),
    Kernel(
        "sine",
        "sin(a)",
        inputs=vector,
        reference=sin,
        flops=lambda n: n,
        bytes=lambda n, item: 2 * n * item,
        operations=("sine|sin",),
        **COMMON,
    ),
    Kernel(
        "elementwise",
        "a + b, a · b and sin(a), the three together",
        inputs=two_vectors,
        reference=lambda a, b: (a + b, a * b, sin(a)),
        flops=lambda n: 3 * n,
        bytes=lambda n, item: 5 * n * item,
        results=("number",) * 3,
        operations=("add", "multiply", "sine|sin"),
        tier="bench",
        **COMMON,
    ),
)
