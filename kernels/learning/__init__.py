"""What models are made of, and their training."""

from kernels.gradients import gradient_of
from kernels.kernel import Kernel
from kernels.reasons import MLX_SINGLE

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
    """Return the scaled exponential linear unit in NumPy."""
    import numpy as np

    return LAMBDA * np.where(x > 0, x, ALPHA * np.exp(x) - ALPHA)


def noisy_line(rng, features):
    """Return normal features, shape (samples, features), and a linear function of them plus noise, shape (samples,)."""
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


#: Of each row, which is one example: classes, features of a layer, and what a layer adds to a variance.
CLASSES = 1_000
FEATURES = 768
EPSILON = 1e-5

#: Attention: heads, and numbers of each.
HEADS, DEPTH = 8, 64

#: A network of two layers for images of 28 × 28.
PIXELS, HIDDEN, DIGITS = 784, 256, 10

#: An inverse short-time Fourier transform: real and imaginary parts, samples of a frame, and from one to the next.
CHANNELS, LENGTH, STRIDE = 514, 512, 128

#: Dimensions of the points between which distances are taken.
DIMENSIONS = 16

ROWS = {"sizes": (1, 10, 100, 1_000, 10_000), "small": 10, "large": 1_000, "up_to": {"*": 1_000}}
THREADS = {"GRAIN": "from which length threads are used"}

#: Nothing changes where something is added to all scores of a softmax; what is taken off prevents overflow.
SHIFTED = {
    "Sub → Add: xp.max(x": "a shift cancels",
    "Sub → Add: scores.max(axis=1": "as above",
    "out[j] = exp(x[j] - largest)": "as above",
    "range(scores.shape": "as many positions attend as are attended to",
    "0 → 1: range(slope.shape": "as above",
}


def rows(rng, n):
    """Scores of n examples, shape (n, classes)."""
    return (3 * rng.standard_normal((n, CLASSES)),)


def rows_and_classes(rng, n):
    """Scores of n examples, shape (n, classes), and the class of each, int64, shape (n,)."""
    return 3 * rng.standard_normal((n, CLASSES)), rng.integers(0, CLASSES, n)


def layer(rng, n):
    """Activations around 3, shape (n, features); scales and shifts, shape (features,)."""
    return 3 + 2 * rng.standard_normal((n, FEATURES)), rng.uniform(0.5, 1.5, FEATURES), rng.standard_normal(FEATURES)


def heads(rng, n):
    """Return queries, keys and values, shape (heads, n, depth) each."""
    return tuple(rng.standard_normal((HEADS, n, DEPTH)) for _ in range(3))


def images(rng, n):
    """n images, shape (n, 32, 32, 16), and filters, shape (3, 3, 16, 32)."""
    return rng.standard_normal((n, 32, 32, 16)), rng.standard_normal((3, 3, 16, 32)) / 12


def frames(rng, n):
    """n frames of a spectrum, shape (1, channels, n), and the waveform of each channel, (channels, 1, length)."""
    return rng.standard_normal((1, CHANNELS, n)), rng.standard_normal((CHANNELS, 1, LENGTH)) / CHANNELS


def network(rng, n):
    """n images, shape (n, pixels), their digits, int64, shape (n,), and the weights and biases of two layers."""
    return (
        rng.standard_normal((n, PIXELS)),
        rng.integers(0, DIGITS, n),
        rng.standard_normal((PIXELS, HIDDEN)) * (2 / PIXELS) ** 0.5,
        0.01 * rng.standard_normal(HIDDEN),
        rng.standard_normal((HIDDEN, DIGITS)) * (2 / HIDDEN) ** 0.5,
        0.01 * rng.standard_normal(DIGITS),
    )


def points(rng, n):
    """Two sets of n points, shape (n, dimensions) each."""
    return rng.standard_normal((n, DIMENSIONS)), rng.standard_normal((n, DIMENSIONS))


def shares(x):
    """exp(x) over its sum along the last axis, shifted by the largest."""
    import numpy as np

    exponentials = np.exp(x - x.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def normalised(x, scale, shift):
    """Return each row with mean 0 and variance 1, then scaled and shifted."""
    import numpy as np

    centred = x - x.mean(axis=1, keepdims=True)
    return scale * centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + EPSILON) + shift


def surprise(scores, classes):
    """Return the mean of −log of the share of each example's class."""
    import numpy as np

    shifted = scores - scores.max(axis=1, keepdims=True)
    chosen = np.take_along_axis(shifted, classes[:, None], axis=1)[:, 0]
    return np.mean(np.log(np.exp(shifted).sum(axis=1)) - chosen)


def attended(q, k, v):
    """softmax(QKᵀ/√depth)·V of each head (Vaswani and others, 2017)."""
    return shares(q @ k.swapaxes(1, 2) / q.shape[2] ** 0.5) @ v


def attended_back(q, k, v, back):
    """Gradients of Σ back · attention with respect to q, k and v (Dao and others, 2022, appendix B)."""
    scale = q.shape[2] ** -0.5
    weights = shares(q @ k.swapaxes(1, 2) * scale)
    to_weights = back @ v.swapaxes(1, 2)
    to_scores = weights * (to_weights - (weights * to_weights).sum(axis=2, keepdims=True))
    return to_scores @ k * scale, to_scores.swapaxes(1, 2) @ q * scale, weights.swapaxes(1, 2) @ back


def correlated(x, w):
    """Cross-correlation of images with filters, valid positions only."""
    import numpy as np

    windows = np.lib.stride_tricks.sliding_window_view(x, w.shape[:2], axis=(1, 2))
    return np.einsum("nrckij,ijkf->nrcf", windows, w, optimize=True)


def spread(x, w):
    """Return what each frame adds to the result, `STRIDE` further for the next frame."""
    import numpy as np

    added = np.einsum("ncs,cfk->nfsk", x, w, optimize=True)
    out = np.zeros((len(x), w.shape[1], STRIDE * (x.shape[2] - 1) + w.shape[2]))
    for s in range(x.shape[2]):
        out[:, :, STRIDE * s : STRIDE * s + w.shape[2]] += added[:, :, s]
    return out


def step_by_hand(x, classes, w1, b1, w2, b2):
    """Return new weights and biases after a step of gradient descent of rate 1, and the loss before it."""
    import numpy as np

    hidden = np.maximum(x @ w1 + b1, 0)
    scores = hidden @ w2 + b2
    error = (shares(scores) - np.eye(w2.shape[1])[classes]) / len(x)
    back = (error @ w2.T) * (hidden > 0)
    return w1 - x.T @ back, b1 - back.sum(0), w2 - hidden.T @ error, b2 - error.sum(0), surprise(scores, classes)


def distances(x, y):
    """Of each point of one set from each of the other."""
    import numpy as np

    difference = x[:, None] - y[None]
    return np.sqrt((difference**2).sum(axis=2))


ATTENTION = Kernel(
    "attention",
    f"softmax(QKᵀ/8)·V, {HEADS} heads of {DEPTH} numbers, n positions",
    sizes=(16, 64, 256, 1_024, 4_096),
    small=64,
    large=1_024,
    inputs=heads,
    reference=attended,
    # Two products of 2 · 64 operations for each pair of positions, and five for the softmax.
    flops=lambda n: HEADS * (4 * DEPTH + 5) * n**2,
    bytes=lambda n, item: 4 * HEADS * DEPTH * n * item,
    workspace=lambda n, item: 2 * HEADS * n**2 * item,
    up_to={"*": 1_024},
    operations=("dot|gemm|matmul|custom-call|fusion",),
    unavailable=MLX_SINGLE,
    equivalent=SHIFTED,
    tier="bench",
)

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
        unavailable=MLX_SINGLE,
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
    Kernel(
        "softmax",
        f"exp(x) over its sum, of each of n rows of {CLASSES:,} scores",
        inputs=rows,
        reference=shares,
        # A comparison, a subtraction, an exponential, an addition and a division.
        flops=lambda n: 5 * CLASSES * n,
        bytes=lambda n, item: 2 * CLASSES * n * item,
        needs={"numpy": ("scipy",)},
        operations=("exponential|exp", "divide|reciprocal|multiply"),
        unavailable=MLX_SINGLE,
        threaded=40,
        equivalent=THREADS | SHIFTED,
        **ROWS,
    ),
    Kernel(
        "layer_norm",
        f"n rows of {FEATURES} numbers with mean 0 and variance 1, then scaled and shifted",
        inputs=layer,
        reference=normalised,
        # A sum, a difference, a square and its sum, a division, a product and an addition.
        flops=lambda n: 7 * FEATURES * n,
        bytes=lambda n, item: 2 * FEATURES * (n + 1) * item,
        operations=("rsqrt|sqrt|divide", "multiply"),
        unavailable={"mlx:float64": "mx.fast.layer_norm computes in float32"},
        threaded=50,
        equivalent=THREADS,
        **ROWS,
    ),
    Kernel(
        "cross_entropy",
        f"mean of −log softmax at the class of each of n rows of {CLASSES:,} scores",
        inputs=rows_and_classes,
        reference=surprise,
        # A comparison, a subtraction, an exponential and an addition.
        flops=lambda n: 4 * CLASSES * n,
        bytes=lambda n, item: CLASSES * n * item + 8 * n,
        needs={"numpy": ("scipy",)},
        operations=("exponential|exp", "log"),
        unavailable=MLX_SINGLE,
        threaded=40,
        equivalent=THREADS | SHIFTED,
        # One number, which TF32 may happen to hold to four digits.
        tolerance={"float64": 1e-10, "float32": 1e-5},
        **ROWS,
    ),
    ATTENTION,
    gradient_of(
        ATTENTION,
        reference=attended_back,
        # Two products forward and four back.
        flops=lambda n: HEADS * (12 * DEPTH + 12) * n**2,
        bytes=lambda n, item: 7 * HEADS * DEPTH * n * item,
        by=(0, 1, 2),
        by_hand=("numpy", "numba", "cupy"),
        workspace=lambda n, item: 5 * HEADS * n**2 * item,
    ),
    Kernel(
        "conv2d",
        "cross-correlation of n images of 32 × 32 × 16 with 32 filters of 3 × 3",
        sizes=(1, 4, 16, 64, 256),
        small=4,
        large=64,
        inputs=images,
        reference=correlated,
        flops=lambda n: 2 * 30 * 30 * 32 * 9 * 16 * n,
        bytes=lambda n, item: (32 * 32 * 16 * n + 30 * 30 * 32 * n + 9 * 16 * 32) * item,
        workspace=lambda n, item: 30 * 30 * 9 * 16 * n * item,
        up_to={"*": 64},
        operations=("convolution|conv|custom-call|dot",),
        unavailable={"mlx:float64": "MLX computes convolutions of float64 in float32"},
        equivalent={
            "range(out.shape[0])": "images are square",
            "range(w.shape[0])": "filters are square",
            "0 → 1: out = np.empty((x.shape[0], x.shape[1] - w": "images and filters are square",
            "1 → 2: out = np.empty((x.shape[0], x.shape[1] - w": "as above",
        },
        tier="core",
    ),
    Kernel(
        "conv_transpose1d",
        f"transposed convolution of n frames of {CHANNELS} channels to a signal; {LENGTH} samples, stride {STRIDE}",
        sizes=(8, 32, 128, 512, 2_048),
        small=32,
        large=512,
        inputs=frames,
        reference=spread,
        flops=lambda n: 2 * CHANNELS * LENGTH * n,
        bytes=lambda n, item: (CHANNELS * (n + LENGTH) + STRIDE * (n - 1) + LENGTH) * item,
        workspace=lambda n, item: LENGTH * n * item,
        operations=("convolution|conv|custom-call|dot",),
        unavailable={"mlx:float64": "MLX has no transposed convolution of float64"},
    ),
    Kernel(
        "mlp_training_step",
        f"a step of gradient descent, rate 1, of a network of {PIXELS}, {HIDDEN} and {DIGITS} units on n images",
        sizes=(1, 8, 32, 128, 512, 2_048),
        small=32,
        large=512,
        inputs=network,
        reference=step_by_hand,
        # Products only: two forward, three back.
        flops=lambda n: 2 * n * (2 * PIXELS * HIDDEN + 3 * HIDDEN * DIGITS),
        counted=False,
        bytes=lambda n, item: (
            (PIXELS * n + 2 * (PIXELS * HIDDEN + HIDDEN + HIDDEN * DIGITS + DIGITS) + 1) * item + 8 * n
        ),
        results=("number",) * 5,
        operations=("dot|gemm|matmul|custom-call|fusion",),
        unavailable=MLX_SINGLE,
        equivalent=SHIFTED,
        tier="core",
    ),
    Kernel(
        "pairwise_distances",
        f"distances of n points from n others in {DIMENSIONS} dimensions",
        sizes=(10, 30, 100, 300, 1_000, 3_000),
        small=100,
        large=1_000,
        inputs=points,
        reference=distances,
        # A difference, a square and an addition in each dimension, and a root.
        flops=lambda n: (3 * DIMENSIONS + 1) * n**2,
        bytes=lambda n, item: (2 * DIMENSIONS * n + n**2) * item,
        workspace=lambda n, item: 2 * DIMENSIONS * n**2 * item,
        needs={"numpy": ("scipy",)},
        up_to={"*": 1_000},
        operations=("subtract|dot|multiply|add",),
        threaded=200,
        equivalent=THREADS,
    ),
)
