"""Element by element: bound by memory bandwidth when large, by the cost of a call when small."""

from kernels.kernel import Kernel, Peer
from kernels.reasons import MLX_SINGLE

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


def four_angles(rng, n):
    """Latitudes and longitudes of two points each, all of shape (n,), from 0 to 1 radian."""
    return tuple(rng.uniform(0, 1, n) for _ in range(4))


def haversine(theta1, phi1, theta2, phi2):
    """Return the angle between two points of a sphere (Sinnott, 1984)."""
    import numpy as np

    h = np.sin((theta2 - theta1) / 2) ** 2 + np.cos(theta1) * np.cos(theta2) * np.sin((phi2 - phi1) / 2) ** 2
    return 2 * np.arctan2(np.sqrt(h), np.sqrt(1 - h))


def npbench_angles(n):
    """As npbench draws them."""
    import numpy as np

    rng = np.random.default_rng(42)
    return tuple(rng.random(n) for _ in range(4))


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
        unavailable=MLX_SINGLE,
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
        unavailable=MLX_SINGLE,
        tier="bench",
        **COMMON,
    ),
    Kernel(
        "arc_distance",
        "the angle between two points of a sphere by the haversine formula, element by element",
        inputs=four_angles,
        reference=haversine,
        # Four sines and cosines, two roots, an arctangent, two squares and nine operations of arithmetic.
        flops=lambda n: 18 * n,
        bytes=lambda n, item: 5 * n * item,
        operations=("sine|sin", "atan2"),
        unavailable=MLX_SINGLE,
        peer=Peer(
            "npbench",
            "https://github.com/spcl/npbench",
            (100_000, 1_000_000, 10_000_000),
            npbench_angles,
        ),
        **COMMON,
    ),
)
