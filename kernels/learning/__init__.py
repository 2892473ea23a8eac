"""What training a model is made of: an activation, and gradient descent."""

from kernels.kernel import Kernel

#: Those of the article, rounded: https://sineeli.github.io/2025/12/20/jax-series-1/
ALPHA, LAMBDA = 1.67, 1.05

SAMPLES = 10_000
ITERATIONS = 100
#: Converges: the Hessian's eigenvalues are near 2 for independent normal features, and the limit is 2 / 2 = 1.
RATE = 0.1


def matrix(rng, n):
    """One normal matrix, shape (n, n)."""
    return (rng.standard_normal((n, n)),)


def activation(x):
    """The scaled exponential linear unit in NumPy."""
    import numpy as np

    return LAMBDA * np.where(x > 0, x, ALPHA * np.exp(x) - ALPHA)


def noisy_line(rng, features):
    """Normal features, shape (samples, features), and a linear function of them plus noise, shape (samples,)."""
    x = rng.standard_normal((SAMPLES, features))
    weights, bias = rng.standard_normal(features), rng.standard_normal()
    return x, x @ weights + bias + 0.1 * rng.standard_normal(SAMPLES)


def descent(x, y, iterations, rate):
    """Weights and bias after so many steps down the gradient of the mean squared error, from zeros."""
    import numpy as np

    w, b = np.zeros(x.shape[1]), np.zeros(())
    for _ in range(iterations):
        error = x @ w + b - y
        w, b = w - 2 * rate * (x.T @ error) / len(y), b - 2 * rate * np.mean(error)
    return w, b


KERNELS = (
    Kernel(
        "selu",
        "λ·x where x > 0, else λα(exp(x) − 1), of each element of an n × n matrix",
        sizes=(10, 30, 100, 300, 1_000, 3_000),
        small=100,
        large=3_000,
        inputs=matrix,
        reference=activation,
        # A comparison and an exponential count as one each.
        flops=lambda n: 5 * n**2,
        bytes=lambda n, item: 2 * n**2 * item,
        operations=("exponential|exp|exponential-minus-one", "select"),
        threaded=200,
        tier="core",
    ),
    Kernel(
        "linear_regression",
        f"least squares by {ITERATIONS} steps of gradient descent on {SAMPLES:,} samples; n features",
        sizes=(2, 5, 10, 20, 50, 100),
        small=2,
        large=100,
        inputs=noisy_line,
        reference=descent,
        # A step: two products with the matrix, three operations a sample (bias, target, sum) and two a weight.
        flops=lambda n: ITERATIONS * (4 * SAMPLES * n + 3 * SAMPLES + 2 * n),
        # Each array once: the matrix of every size fits in a cache.
        bytes=lambda n, item: (SAMPLES * (n + 1) + n + 1) * item,
        static=lambda n, dtype: {"iterations": ITERATIONS, "rate": RATE},
        results=("number", "number"),
        operations=("while", "dot|gemm|matmul|reduce"),
        long=True,
        tier="core",
    ),
)
