"""Simulations: option prices, bodies that attract each other, sweeps over grids, shortest paths."""

from kernels.kernel import Kernel, Peer
from kernels.reasons import MLX_SINGLE

#: Of the options: the rate of interest and the volatility, a year.
RATE, VOLATILITY = 0.1, 0.2

#: Of the bodies: steps, their length, and what keeps forces finite where two bodies meet.
STEPS, STEP, SOFTENING = 10, 0.01, 0.1

SWEEPS = 100
ITERATIONS = 50

#: Added to what is divided by, which is 0 where a small system has converged; a normal number in float32 too.
TINY = 1e-37

GRID = {"sizes": (10, 30, 100, 300, 1_000, 3_000), "small": 100, "large": 1_000, "up_to": {"*": 1_000}}
THREADS = {"GRAIN": "from which length threads are used"}


def options(rng, n):
    """Prices of shares, strike prices and years to maturity, shape (n,) each."""
    return rng.uniform(10, 50, n), rng.uniform(10, 50, n), rng.uniform(1, 2, n)


def bodies(rng, n):
    """Places and velocities, shape (n, 3), and masses, shape (n,), 20 in all."""
    return rng.standard_normal((n, 3)), 0.5 * rng.standard_normal((n, 3)), rng.uniform(0.5, 1.5, n) * 20 / n


def grid(rng, n):
    """Uniform numbers, shape (n, n)."""
    return (rng.uniform(0, 1, (n, n)),)


def normal_grid(rng, n):
    """Return normal numbers, shape (n, n)."""
    return (rng.standard_normal((n, n)),)


def lengths(rng, n):
    """Lengths of the edges between n nodes, shape (n, n), 0 on the diagonal."""
    import numpy as np

    return (rng.uniform(0, 1, (n, n)) * (1 - np.eye(n)),)


def npbench_lengths(n):
    """As npbench has them."""
    import numpy as np

    i, j = np.ogrid[:n, :n]
    far = ((i + j) % 13 == 0) | ((i + j) % 7 == 0) | ((i + j) % 11 == 0)
    return (np.where(far, 999, i * j % 7 + 1).astype(float),)


def prices(share, strike, years):
    """Of a call and a put (Black and Scholes, 1973), by SciPy's normal distribution."""
    import numpy as np
    from scipy.special import ndtr

    spread = VOLATILITY * np.sqrt(years)
    d1 = (np.log(share / strike) + (RATE + VOLATILITY**2 / 2) * years) / spread
    d2 = d1 - spread
    due = strike * np.exp(-RATE * years)
    return share * ndtr(d1) - due * ndtr(d2), due * ndtr(-d2) - share * ndtr(-d1)


def pull(places, masses):
    """Accelerations: Σⱼ mⱼ(rⱼ − rᵢ)/(|rⱼ − rᵢ|² + ε²)^{3/2}."""
    apart = places[None] - places[:, None]
    squares = (apart**2).sum(axis=2) + SOFTENING**2
    return (masses[None, :, None] * apart / squares[..., None] ** 1.5).sum(axis=1)


def leapfrog(places, velocities, masses, steps):
    """Half a kick, a drift, half a kick (Hockney and Eastwood, 1988)."""
    for _ in range(steps):
        velocities = velocities + STEP / 2 * pull(places, masses)
        places = places + STEP * velocities
        velocities = velocities + STEP / 2 * pull(places, masses)
    return places, velocities


def swept(u, sweeps):
    """Return the mean of each inner element and its four neighbours, again and again."""
    for _ in range(sweeps):
        inner = (u[1:-1, 1:-1] + u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]) / 5
        u = u.copy()
        u[1:-1, 1:-1] = inner
    return u


def laplacian(p):
    """4 on the diagonal, −1 for each neighbour, and zeros around the grid."""
    out = 4 * p
    out[1:] -= p[:-1]
    out[:-1] -= p[1:]
    out[:, 1:] -= p[:, :-1]
    out[:, :-1] -= p[:, 1:]
    return out


def conjugate(b, iterations):
    """x of A·x = b after so many iterations from zeros (Hestenes and Stiefel, 1952; Saad, 2003, algorithm 6.18)."""
    x, r, p = 0 * b, b, b
    square = (r * r).sum()
    for _ in range(iterations):
        image = laplacian(p)
        step = square / ((p * image).sum() + TINY)
        x, r = x + step * p, r - step * image
        square, before = (r * r).sum(), square
        p = r + square / (before + TINY) * p
    return x


def shortest(d):
    """Of all paths (Floyd, 1962)."""
    import numpy as np

    for k in range(len(d)):
        d = np.minimum(d, d[:, k, None] + d[k])
    return d


def variation(x):
    """Σ|differences| along both axes."""
    import numpy as np

    return np.abs(np.diff(x, axis=0)).sum() + np.abs(np.diff(x, axis=1)).sum()


KERNELS = (
    Kernel(
        "black_scholes",
        "prices of n calls and puts by the formula of Black and Scholes",
        sizes=(10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000),
        small=1_000,
        large=1_000_000,
        inputs=options,
        reference=prices,
        # Four values of the normal distribution count as one each.
        flops=lambda n: 23 * n,
        bytes=lambda n, item: 5 * n * item,
        results=("number", "number"),
        needs={"numpy": ("scipy",)},
        unavailable=MLX_SINGLE,
        up_to={"*": 1_000_000},
        operations=("log", "sqrt|rsqrt|power", "exponential|exp|erf|erfc"),
        threaded=40_000,
        equivalent=THREADS,
        tier="core",
    ),
    Kernel(
        "n_body",
        f"n bodies that attract each other, {STEPS} steps of leapfrog",
        sizes=(10, 30, 100, 300, 1_000, 3_000),
        small=100,
        large=1_000,
        inputs=bodies,
        reference=leapfrog,
        # 20 for each pair, by convention (GPU Gems 3, chapter 31), and 18 a body for each step.
        flops=lambda n: STEPS * 18 * n + (STEPS + 1) * 20 * n**2,
        counted=False,
        bytes=lambda n, item: 13 * n * item,
        results=("number", "number"),
        workspace=lambda n, item: 5 * n**2 * item,
        static=lambda n, dtype: {"steps": STEPS},
        quick=lambda n, dtype: {"steps": 2},
        up_to={"*": 1_000},
        long=True,
        operations=("rsqrt|sqrt|power|divide",),
        threaded=200,
        equivalent=THREADS,
        tier="core",
    ),
    Kernel(
        "jacobi_2d",
        f"{SWEEPS} sweeps over an n × n grid: each inner element becomes the mean of itself and its four neighbours",
        least=3,
        inputs=grid,
        reference=swept,
        flops=lambda n: 5 * SWEEPS * (n - 2) ** 2,
        bytes=lambda n, item: 2 * n**2 * item,
        static=lambda n, dtype: {"sweeps": SWEEPS},
        quick=lambda n, dtype: {"sweeps": 5},
        long=True,
        operations=("while|add",),
        threaded=200,
        equivalent=THREADS | {"0 → 1: range(1, old.shape[0]": "the grid is square"},
        tier="bench",
        **GRID,
    ),
    Kernel(
        "conjugate_gradient",
        f"{ITERATIONS} iterations of conjugate gradients with the five-point Laplacian of an n × n grid",
        least=8,
        inputs=normal_grid,
        reference=conjugate,
        flops=lambda n: 15 * ITERATIONS * n**2,
        bytes=lambda n, item: 2 * n**2 * item,
        static=lambda n, dtype: {"iterations": ITERATIONS},
        quick=lambda n, dtype: {"iterations": 5},
        long=True,
        operations=("while|add",),
        equivalent={
            "Add → Sub: + TINY": "it keeps a quotient finite, whichever its sign",
            "Mult → Div: 0 * b": "zeros either way",
            "range(b.shape[0])": "the grid is square",
        },
        **GRID | {"sizes": (10, 30, 100, 300, 1_000)},
    ),
    Kernel(
        "floyd_warshall",
        "lengths of the shortest paths between all pairs of n nodes",
        sizes=(10, 30, 100, 200, 400, 850),
        small=100,
        large=400,
        inputs=lengths,
        reference=shortest,
        flops=lambda n: 2 * n**3,
        bytes=lambda n, item: 2 * n**2 * item,
        # These compilers write out all n steps.
        up_to={"torch-compile": 100, "mlx-compile": 100, "*": 400},
        long=True,
        operations=("minimum",),
        threaded=200,
        equivalent=THREADS | {"0 → 1: range(d.shape": "the matrix is square"},
        peer=Peer("npbench", "https://github.com/spcl/npbench", (200, 400, 850, 2_800), npbench_lengths),
    ),
    Kernel(
        "total_variation",
        "sum of the absolute differences between neighbours of an n × n grid",
        least=2,
        inputs=normal_grid,
        reference=variation,
        flops=lambda n: 6 * n * (n - 1),
        bytes=lambda n, item: n**2 * item,
        operations=("abs", "reduce|add"),
        threaded=200,
        equivalent=THREADS | {"0 → 1: x.shape[0]": "the grid is square"},
        **GRID,
    ),
)
