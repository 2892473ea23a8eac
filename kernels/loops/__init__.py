"""Loops whose steps depend on each other: little work a step, so that the cost of a step shows."""

from kernels.gradients import gradient_of
from kernels.kernel import Kernel
from kernels.reasons import MLX_SINGLE

#: Of the Mandelbrot set.
ITERATIONS = 100

#: Of the differential equation: how many steps, and how long.
STEPS, STEP = 100, 0.01
FORCING = 8.0

CHANNELS = 64

#: Newton's steps for Kepler's equation: seven reach the last digit up to an eccentricity of 0.9.
NEWTON = 8

#: What PyTorch's compiler does with a loop: it writes out all steps.
UNROLLED = "unrolled, its loop takes minutes to compile, and torch.scan is a prototype"


def axes(rng, n):
    """Real and imaginary parts, shape (n,) each, of points of [−2, 0.5] × [−1.25, 1.25], shifted a little."""
    import numpy as np

    return np.linspace(-2, 0.5, n) + rng.uniform(0, 1) / n, np.linspace(-1.25, 1.25, n) + rng.uniform(0, 1) / n


def around_forcing(rng, n):
    """Return the state of Lorenz's model, shape (n,)."""
    return (FORCING + rng.standard_normal(n),)


def factors_and_terms(rng, n):
    """Return what is multiplied by and what is added, shape (n, channels) each."""
    return rng.uniform(0.5, 0.99, (n, CHANNELS)), rng.standard_normal((n, CHANNELS))


def anomalies(rng, n):
    """Mean anomalies and eccentricities, shape (n,) each."""
    import numpy as np

    return rng.uniform(0, 2 * np.pi, n), rng.uniform(0, 0.9, n)


def weights_and_inputs(rng, n):
    """Return a matrix, shape (3, 3), that neither grows nor forgets much, and n inputs, shape (n, 3)."""
    import numpy as np

    return 0.9 * np.linalg.qr(rng.standard_normal((3, 3)))[0], rng.standard_normal((n, 3))


def ring(rng, n):
    """For each of n elements the next one, int64, shape (n,): one ring through all of them, in any order."""
    import numpy as np

    order = rng.permutation(n)
    following = np.empty(n, np.int64)
    following[order] = np.roll(order, -1)
    return (following,)


def escapes(real, imaginary, iterations):
    """Return how often |z| ≤ 2 of z ← z² + c, from zero."""
    import numpy as np

    a, b = np.meshgrid(real, imaginary, indexing="ij")
    x, y, count = np.zeros_like(a), np.zeros_like(a), np.zeros(a.shape, np.int64)
    for _ in range(iterations):
        inside = x * x + y * y <= 4
        count += inside
        x, y = np.where(inside, x * x - y * y + a, x), np.where(inside, 2 * x * y + b, y)
    return count


def slope(x):
    """Of Lorenz's model (1996)."""
    import numpy as np

    return (np.roll(x, -1) - np.roll(x, 2)) * np.roll(x, 1) - x + FORCING


def runge_kutta(x, steps):
    """Return the classical method of order 4 (Hairer, Nørsett and Wanner, II.1)."""
    for _ in range(steps):
        one = slope(x)
        two = slope(x + STEP / 2 * one)
        three = slope(x + STEP / 2 * two)
        four = slope(x + STEP * three)
        x = x + STEP / 6 * (one + 2 * two + 2 * three + four)
    return x


def recurrence(a, b):
    """hₜ = aₜ·hₜ₋₁ + bₜ from 0, all of them."""
    import numpy as np

    out = np.empty_like(b)
    h = np.zeros_like(b[0])
    for t in range(len(b)):
        h = a[t] * h + b[t]
        out[t] = h
    return out


def eccentric(mean, eccentricity):
    """E of E − e·sin E = M, by more steps than the kernel's."""
    import numpy as np

    e = mean + 0.85 * eccentricity * np.sign(np.sin(mean))
    for _ in range(2 * NEWTON):
        e = e - (e - eccentricity * np.sin(e) - mean) / (1 - eccentricity * np.cos(e))
    return e


def states(a, x):
    """hₜ = tanh(A·hₜ₋₁ + xₜ) from 0, all of them behind a zero."""
    import numpy as np

    out = np.zeros((len(x) + 1, 3))
    for t in range(len(x)):
        out[t + 1] = np.tanh(a @ out[t] + x[t])
    return out


def through_time(a, x, back):
    """Gradients of back · (last state) with respect to the matrix and the inputs."""
    import numpy as np

    h = states(a, x)
    to_a, to_x = np.zeros_like(a), np.empty_like(x)
    for t in reversed(range(len(x))):
        to_x[t] = back * (1 - h[t + 1] ** 2)
        to_a += np.outer(to_x[t], h[t])
        back = a.T @ to_x[t]
    return to_a, to_x


def walked(following, goal):
    """Return steps from element 0 to the goal."""
    place, count = 0, 0
    while place != goal:
        place, count = following[place], count + 1
    return count


SCAN = Kernel(
    "small_scan",
    "hₜ = tanh(A·hₜ₋₁ + xₜ) of three numbers, n steps: the cost of one iteration of a loop",
    sizes=(10, 100, 1_000, 10_000, 100_000),
    small=100,
    large=10_000,
    inputs=weights_and_inputs,
    reference=lambda a, x: states(a, x)[-1],
    flops=lambda n: 24 * n,
    bytes=lambda n, item: (3 * n + 12) * item,
    unavailable={"torch-compile": UNROLLED},
    # Unrolled, ten thousand steps take MLX's compiler minutes.
    up_to={"jax": 1_000, "jax-jit": 10_000, "mlx-compile": 1_000, "*": 10_000},
    long=True,
    operations=("while",),
    equivalent={
        "0 → 1: 0 * x[0]": "zeros either way",
        "Mult → Div: 0 * x[0]": "as above",
        "zeros_like(x[0])": "only its shape counts",
    },
)

KERNELS = (
    Kernel(
        "mandelbrot",
        f"how many of {ITERATIONS} iterations of z² + c stay within |z| ≤ 2, at n × n points",
        sizes=(10, 30, 100, 300, 1_000),
        small=100,
        large=1_000,
        inputs=axes,
        reference=escapes,
        results=("count",),
        # Of all iterations; Numba leaves a point when it has escaped, which saves two thirds.
        flops=lambda n: 10 * ITERATIONS * n**2,
        counted=False,
        bytes=lambda n, item: 2 * n * item + 4 * n**2,
        static=lambda n, dtype: {"iterations": ITERATIONS},
        quick=lambda n, dtype: {"iterations": 10},
        mismatches={"float64": 1e-3, "float32": 1e-2},
        long=True,
        operations=("while|multiply",),
        threaded=200,
        equivalent={
            "GRAIN": "from which length threads are used",
            "Add → Sub: 2 * x * y + imaginary": "the set is symmetric about the real axis",
            "Add → Sub: number(2) * x * y + b": "as above",
        },
        tier="core",
    ),
    Kernel(
        "runge_kutta",
        f"{STEPS} steps of the method of Runge and Kutta in Lorenz's model of n variables",
        sizes=(10, 100, 1_000, 10_000, 100_000, 1_000_000),
        small=100,
        large=100_000,
        least=4,
        inputs=around_forcing,
        reference=runge_kutta,
        flops=lambda n: 29 * STEPS * n,
        bytes=lambda n, item: 2 * n * item,
        static=lambda n, dtype: {"steps": STEPS},
        quick=lambda n, dtype: {"steps": 5},
        # It is chaotic.
        tolerance={"float64": 1e-10, "float32": 1e-3},
        up_to={"*": 100_000},
        long=True,
        operations=("while|multiply",),
    ),
    Kernel(
        "linear_recurrence",
        f"hₜ = aₜ·hₜ₋₁ + bₜ, all n steps of {CHANNELS} channels",
        sizes=(10, 100, 1_000, 10_000, 100_000),
        small=100,
        large=10_000,
        inputs=factors_and_terms,
        reference=recurrence,
        # One after the other. JAX's scan in parallel does three times as much.
        flops=lambda n: 2 * CHANNELS * n,
        counted=False,
        bytes=lambda n, item: 3 * CHANNELS * n * item,
        unavailable={
            "torch-compile": "unrolled, its loop takes minutes to compile, and torch.associative_scan is a prototype"
        },
        up_to={"mlx-compile": 1_000, "*": 10_000},
        operations=("while|multiply",),
        equivalent={"0 → 1: zeros_like(b[0])": "only its shape counts"},
        tier="core",
    ),
    Kernel(
        "kepler",
        f"E of E − e·sin E = M by {NEWTON} of Newton's steps, element by element",
        sizes=(10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000),
        small=1_000,
        large=1_000_000,
        inputs=anomalies,
        reference=eccentric,
        flops=lambda n: 77 * n,
        bytes=lambda n, item: 3 * n * item,
        up_to={"*": 1_000_000},
        operations=("sine|sin", "cosine|cos"),
        unavailable=MLX_SINGLE,
        threaded=40_000,
        equivalent={
            "GRAIN": "from which length threads are used",
            "0.85 → 1.85: 0.85": "where Newton's steps start from",
            "Mult → Div: 0.85": "as above",
        },
    ),
    SCAN,
    gradient_of(
        SCAN,
        reference=through_time,
        flops=lambda n: 66 * n,
        bytes=lambda n, item: (6 * n + 21) * item,
        by=(0, 1),
        # Each library keeps as much of the forward pass as it likes.
        counted=False,
    ),
    Kernel(
        "ring_walk",
        "number of steps along a linked ring of n elements, from element 0 to n/2: the data decide when it ends",
        sizes=(10, 100, 1_000, 10_000, 100_000),
        small=100,
        large=10_000,
        dtypes=("int64",),
        inputs=ring,
        reference=walked,
        results=("count",),
        flops=lambda n: 0,
        # About half of the elements are visited.
        bytes=lambda n, item: n * item // 2,
        static=lambda n, dtype: {"goal": n // 2},
        unavailable={
            "torch-compile": "torch.while_loop is a prototype, and other loops cannot ask the data",
            "mlx-compile": "MLX has no loop in a program, and other loops cannot ask the data",
        },
        up_to={"jax": 1_000, "jax-jit": 10_000, "*": 10_000},
        operations=("while",),
    ),
)
