"""Linear algebra: bound by arithmetic when large."""

from kernels.kernel import Kernel

#: What XLA calls a matrix product, or the routine that computes it.
PRODUCT = ("dot|gemm|matmul",)

#: A routine of LAPACK's, or the loop that XLA makes in its place.
ROUTINE = ("custom-call|while|lapack|triangular-solve|cholesky",)

SIZES = (10, 30, 100, 300, 1_000, 2_000, 3_000)

#: Of a factorisation that takes many times the work of a product.
FACTORS = {"sizes": (10, 30, 100, 300, 1_000), "small": 30, "large": 300}

#: Numba's products and factorisations are SciPy's BLAS and LAPACK.
SCIPY = {"numba": ("scipy",)}

#: MLX's products on Linux are those of a reference BLAS: seconds where others take a tenth of one.
REFERENCE_BLAS = {"mlx@cpu": 1_000}

#: Run on the CPU by MLX, whatever the device of the rest.
NO_MLX_ON_GPU = {"mlx@gpu": "MLX has this routine for the CPU only"}

BLOCK = 32


def matrix(rng, n):
    """One normal matrix, shape (n, n)."""
    return (rng.standard_normal((n, n)),)


def two_matrices(rng, n):
    """Two normal matrices, shape (n, n)."""
    return rng.standard_normal((n, n)), rng.standard_normal((n, n))


def matrix_and_vector(rng, n):
    """Return a normal matrix, shape (n, n), and a normal vector, (n,)."""
    return rng.standard_normal((n, n)), rng.standard_normal(n)


def two_batches(rng, n):
    """Two batches of normal matrices, shape (n, 32, 32)."""
    return rng.standard_normal((n, BLOCK, BLOCK)), rng.standard_normal((n, BLOCK, BLOCK))


def well_conditioned(rng, n):
    """Return a normal matrix with 3√n added to its diagonal, shape (n, n), of condition near 2.5; a normal vector,
    (n,).
    """
    import numpy as np

    return rng.standard_normal((n, n)) + 3 * n**0.5 * np.eye(n), rng.standard_normal(n)


def positive_definite(rng, n):
    """GGᵀ/n + I of a normal G, shape (n, n)."""
    import numpy as np

    g = rng.standard_normal((n, n))
    return (g @ g.T / n + np.eye(n),)


def tall(rng, n):
    """Return a normal matrix, shape (4n, n), of condition near 3: a square one would have thousands."""
    return (rng.standard_normal((4 * n, n)),)


def small_systems(rng, n):
    """Positive definite matrices, shape (n, 3, 3), of moderate condition, and right sides, (n, 3, 1)."""
    import numpy as np

    g = rng.standard_normal((n, 3, 3))
    return g @ g.swapaxes(1, 2) + np.eye(3), rng.standard_normal((n, 3, 1))


def orthogonal(rng, n):
    """Return the first factor of a normal matrix, shape (n, n)."""
    import numpy as np

    return np.linalg.qr(rng.standard_normal((n, n)))[0]


def known_singular_values(rng, n):
    """Return a matrix with singular values √2·(n … 1), shape (n, n): the gaps determine its vectors.

    Whole numbers would be held exactly by precisions that are too low.
    """
    import numpy as np

    u, v = orthogonal(rng, n), orthogonal(rng, n)
    return (u * (2**0.5 * np.arange(n, 0, -1)) @ v.T,)


def known_eigenvalues(rng, n):
    """Return a matrix with eigenvalues √2·(1 … n), shape (n, n), symmetric to the last bit."""
    import numpy as np

    v = orthogonal(rng, n)
    a = v * (2**0.5 * np.arange(1, n + 1)) @ v.T
    return ((a + a.T) / 2,)


def shifted(a):
    """Return the matrix with a half added to its diagonal."""
    import numpy as np

    return a + 0.5 * np.eye(len(a))


def relative(error, a):
    """Return the largest element of an error, relative to the largest of a matrix."""
    return float(abs(error).max() / abs(a).max())


def departure_from_orthogonal(q):
    """Return the largest element of QᵀQ − I."""
    import numpy as np

    return float(abs(q.T @ q - np.eye(q.shape[1])).max())


def solve(a, b):
    """NumPy's solution."""
    import numpy as np

    return np.linalg.solve(a, b)


def solved(inputs, results):
    """‖Ax − b‖ in units of ‖b‖; the condition is a small number."""
    (a, b), (x,) = inputs, results
    return relative(a @ x - b, b)


def cholesky(a):
    """NumPy's factor."""
    import numpy as np

    return np.linalg.cholesky(a)


def qr(a):
    """NumPy's factors."""
    import numpy as np

    return tuple(np.linalg.qr(a))


def qr_aligned(results, references):
    """Columns of Q and rows of R change sign together; by the diagonal of R."""
    import numpy as np

    (q, r), (_, exact) = results, references
    signs = np.where(np.diag(r) * np.diag(exact) < 0, -1.0, 1.0)
    return q * signs, r * signs[:, None]


def qr_residual(inputs, results):
    """Return the larger of ‖A − QR‖ and ‖QᵀQ − I‖."""
    (a,), (q, r) = inputs, results
    return max(relative(a - q @ r, a), departure_from_orthogonal(q))


def svd(a):
    """NumPy's factors."""
    import numpy as np

    return tuple(np.linalg.svd(a, full_matrices=False))


def svd_aligned(results, references):
    """Let each column of U and its row of Vᵀ change sign together."""
    import numpy as np

    (u, s, vt), (exact, *_) = results, references
    signs = np.where((u * exact).sum(0) < 0, -1.0, 1.0)
    return u * signs, s, vt * signs[:, None]


def svd_residual(inputs, results):
    """Return the largest of ‖A − U·diag(s)·Vᵀ‖, ‖UᵀU − I‖ and ‖VᵀV − I‖."""
    (a,), (u, s, vt) = inputs, results
    return max(relative(a - u * s @ vt, a), departure_from_orthogonal(u), departure_from_orthogonal(vt.T))


def eigh(a):
    """NumPy's eigenvalues and vectors."""
    import numpy as np

    return tuple(np.linalg.eigh(a))


def eigh_aligned(results, references):
    """Let each vector have either sign."""
    import numpy as np

    (values, vectors), (_, exact) = results, references
    return values, vectors * np.where((vectors * exact).sum(0) < 0, -1.0, 1.0)


def eigh_residual(inputs, results):
    """Return the larger of ‖AV − VΛ‖ and ‖VᵀV − I‖."""
    (a,), (values, vectors) = inputs, results
    return max(relative(a @ vectors - vectors * values, a), departure_from_orthogonal(vectors))


SYSTEMS = 64


def tridiagonal_systems(rng, n):
    """64 systems of n equations, by diagonals: below, on and above the main one, and the right side, each (64, n).

    The first element below and the last above are no part of a system, and 0. Dominant: no pivoting is needed.
    """
    lower, upper = rng.uniform(-1, 1, (SYSTEMS, n)), rng.uniform(-1, 1, (SYSTEMS, n))
    lower[:, 0] = upper[:, -1] = 0
    return lower, rng.uniform(3, 4, (SYSTEMS, n)), upper, rng.standard_normal((SYSTEMS, n))


def thomas(lower, diagonal, upper, right):
    """Elimination downwards, substitution upwards, all systems at once (Higham, Accuracy and Stability, 9.6)."""
    import numpy as np

    n = right.shape[1]
    ratio, x = np.empty_like(right), np.empty_like(right)
    for i in range(n):
        before = (ratio[:, i - 1], x[:, i - 1]) if i else (0.0, 0.0)
        pivot = diagonal[:, i] - lower[:, i] * before[0]
        ratio[:, i] = upper[:, i] / pivot
        x[:, i] = (right[:, i] - lower[:, i] * before[1]) / pivot
    for i in reversed(range(n - 1)):
        x[:, i] -= ratio[:, i] * x[:, i + 1]
    return x


KERNELS = (
    Kernel(
        "matmul",
        "A · B of two square matrices",
        sizes=SIZES,
        small=100,
        large=2_000,
        inputs=two_matrices,
        reference=lambda a, b: a @ b,
        flops=lambda n: 2 * n**3,
        bytes=lambda n, item: 3 * n**2 * item,
        up_to=REFERENCE_BLAS,
        operations=PRODUCT,
        tier="bench",
    ),
    Kernel(
        "matmul_transposed",
        "x · xᵀ of a square matrix",
        sizes=(10, 30, 100, 300, 1_000, 3_000, 10_000),
        small=100,
        large=3_000,
        inputs=matrix,
        reference=lambda x: x @ x.T,
        # The result is symmetric, so half of a full product is enough. NumPy and Numba do that half (BLAS's
        # syrk); who computes all of the product does twice this work.
        flops=lambda n: n**2 * (n + 1),
        bytes=lambda n, item: 2 * n**2 * item,
        up_to=REFERENCE_BLAS | {"*": 3_000},
        operations=PRODUCT,
    ),
    Kernel(
        "matvec",
        "A · x of a square matrix and a vector",
        sizes=(10, 30, 100, 300, 1_000, 3_000, 10_000),
        small=100,
        large=3_000,
        inputs=matrix_and_vector,
        reference=lambda a, x: a @ x,
        flops=lambda n: 2 * n**2,
        bytes=lambda n, item: (n**2 + 2 * n) * item,
        needs=SCIPY,
        up_to={"*": 3_000},
        operations=("dot|gemv|gemm|matmul|reduce|fusion",),
    ),
    Kernel(
        "diagonal_shift",
        "A + I/2 of a square matrix",
        sizes=(10, 30, 100, 300, 1_000, 3_000, 10_000),
        small=10,
        large=1_000,
        inputs=matrix,
        reference=shifted,
        flops=lambda n: n,
        bytes=lambda n, item: 2 * n**2 * item,
        up_to={"*": 3_000},
        operations=("add",),
        equivalent={"0 → 1: a.shape[0]": "the matrix is square"},
    ),
    Kernel(
        "batched_matmul",
        f"products of n pairs of {BLOCK} × {BLOCK} matrices",
        sizes=(1, 10, 100, 1_000, 10_000),
        small=100,
        large=10_000,
        inputs=two_batches,
        reference=lambda a, b: a @ b,
        flops=lambda n: 2 * BLOCK**3 * n,
        bytes=lambda n, item: 3 * BLOCK**2 * n * item,
        needs=SCIPY,
        operations=PRODUCT,
        tier="core",
    ),
    Kernel(
        "solve",
        "x of Ax = b by LU factors with pivoting",
        sizes=SIZES,
        small=100,
        large=1_000,
        inputs=well_conditioned,
        reference=solve,
        residual=solved,
        # Golub and Van Loan, Matrix Computations, 4th ed., 3.4.
        flops=lambda n: 2 * n**3 // 3 + 2 * n**2,
        bytes=lambda n, item: (n**2 + 2 * n) * item,
        needs=SCIPY,
        unavailable=NO_MLX_ON_GPU,
        # TensorFlow has XLA make an inverse from QR factors: several times the work, and less accurate.
        otherwise={"tensorflow-xla": "an explicit inverse from QR factors"},
        loose={"tensorflow-xla": {"float64": 1e-9, "float32": 1e-3}},
        up_to={"tensorflow-xla": 300},
        operations=ROUTINE,
        tier="bench",
    ),
    Kernel(
        "cholesky",
        "L of A = LLᵀ, zeros above its diagonal",
        sizes=SIZES,
        small=100,
        large=1_000,
        inputs=positive_definite,
        reference=cholesky,
        any_order=True,
        flops=lambda n: n**3 // 3,
        bytes=lambda n, item: 2 * n**2 * item,
        needs=SCIPY,
        unavailable=NO_MLX_ON_GPU,
        up_to={"tensorflow-xla": 1_000},
        operations=ROUTINE,
        tier="core",
    ),
    Kernel(
        "qr",
        "A = QR of a matrix of 4n rows and n columns, reduced",
        inputs=tall,
        reference=qr,
        results=("number", "number"),
        align=qr_aligned,
        residual=qr_residual,
        any_order=True,
        # R and an explicit Q: Golub and Van Loan, 5.2.
        flops=lambda n: 44 * n**3 // 3,
        bytes=lambda n, item: 9 * n**2 * item,
        needs=SCIPY,
        unavailable=NO_MLX_ON_GPU,
        up_to={"tensorflow-xla": 100, "*": 300},
        operations=ROUTINE,
        **FACTORS,
    ),
    Kernel(
        "svd",
        "A = U·diag(s)·Vᵀ of a square matrix",
        inputs=known_singular_values,
        reference=svd,
        results=("number",) * 3,
        align=svd_aligned,
        residual=svd_residual,
        any_order=True,
        moves={"cupy": "the routine of NVIDIA's library that CuPy calls works partly on the host"},
        # By convention: 14mn² + 8n³, Golub and Van Loan, 8.6.
        flops=lambda n: 22 * n**3,
        counted=False,
        bytes=lambda n, item: (3 * n**2 + n) * item,
        tolerance={"float64": (1e-9, 1e-10, 1e-9, 1e-10), "float32": (1e-3, 1e-4, 1e-3, 1e-4)},
        # XLA stops an iteration at 1e-6, in float64 too.
        loose={"tensorflow-xla": dict.fromkeys(("float64", "float32"), (1e-3, 1e-5, 1e-3, 1e-5))},
        needs=SCIPY,
        unavailable=NO_MLX_ON_GPU,
        up_to={"tensorflow-xla": 100, "*": 300},
        operations=ROUTINE,
        **FACTORS,
    ),
    Kernel(
        "eigh",
        "A = VΛVᵀ of a symmetric matrix, eigenvalues ascending",
        inputs=known_eigenvalues,
        reference=eigh,
        results=("number", "number"),
        align=eigh_aligned,
        residual=eigh_residual,
        any_order=True,
        # By convention: Golub and Van Loan, 8.3.
        flops=lambda n: 9 * n**3,
        counted=False,
        bytes=lambda n, item: (2 * n**2 + n) * item,
        tolerance={"float64": (1e-10, 1e-9, 1e-10), "float32": (1e-4, 1e-3, 1e-4)},
        loose={"tensorflow-xla": dict.fromkeys(("float64", "float32"), (1e-5, 1e-3, 1e-5))},
        needs=SCIPY,
        unavailable=NO_MLX_ON_GPU,
        up_to={"tensorflow-xla": 100, "*": 300},
        operations=ROUTINE,
        tier="core",
        **FACTORS,
    ),
    Kernel(
        "tridiagonal_solve",
        f"{SYSTEMS} tridiagonal systems of n equations",
        sizes=(10, 100, 1_000, 10_000, 100_000),
        small=100,
        large=10_000,
        least=3,
        inputs=tridiagonal_systems,
        reference=thomas,
        moves={"cupy": "CuPy joins many arrays by a table of their addresses"},
        # Eight a row, by Thomas's elimination.
        flops=lambda n: 8 * SYSTEMS * n,
        bytes=lambda n, item: 5 * SYSTEMS * n * item,
        needs={"numpy": ("scipy",)},
        unavailable={"torch-compile": "2n dependent steps unrolled compile for minutes, and torch.scan is a prototype"},
        # Unrolled, ten thousand steps take MLX's compiler minutes.
        up_to={"torch": 1_000, "cupy": 1_000, "mlx": 10_000, "mlx-compile": 1_000},
        operations=("custom-call|while",),
        threaded=600,
        equivalent={
            "GRAIN": "from which length threads are used",
            "ratio = value = 0.0": "the first equation has nothing before it: these are multiplied by 0",
            "right[..., None])[..., 0]": "JAX takes the last where an index is beyond it",
            "USub → UAdd: right.shape[-1]": "the last of two axes is the second",
            "USub → UAdd: axis=-1": "as above",
        },
        tier="core",
    ),
    Kernel(
        "small_solves",
        "x of A·x = b, n systems of three equations",
        sizes=(1, 10, 100, 1_000, 10_000, 100_000),
        small=1_000,
        large=10_000,
        inputs=small_systems,
        reference=solve,
        # 2/3 · 3³ + 2 · 3².
        flops=lambda n: 36 * n,
        bytes=lambda n, item: 15 * n * item,
        needs=SCIPY,
        unavailable=NO_MLX_ON_GPU,
        otherwise={"tensorflow-xla": "an explicit inverse from QR factors"},
        loose={"tensorflow-xla": {"float64": 1e-9, "float32": 1e-3}},
        up_to={"tensorflow-xla": 1_000, "*": 10_000},
        operations=ROUTINE,
    ),
)
