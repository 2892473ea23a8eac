"""Linear algebra, as most libraries write it."""


def matmul(a, b):
    """Return a · B."""
    return a @ b


def matmul_transposed(x):
    """x · xᵀ."""
    return x @ x.T


# Functions of their own: PyTorch compiles a function anew for each shape, and no more than a few times.


def matvec(a, x):
    """Return a · x."""
    return a @ x


def batched_matmul(a, b):
    """Aᵢ · Bᵢ of each pair."""
    return a @ b


def diagonal_shift(a):
    """Return a + I/2."""
    return a + xp.eye(a.shape[0], dtype=a.dtype) / 2


def solve(a, b):
    """By LU factors."""
    return xp.linalg.solve(a, b)


def qr(a):
    """Reduced."""
    return tuple(xp.linalg.qr(a))


def svd(a):
    """Thin."""
    return tuple(xp.linalg.svd(a, full_matrices=False))


def eigh(a):
    """Of the lower triangle."""
    return tuple(xp.linalg.eigh(a))


def cholesky(a):
    """Return the lower factor."""
    return xp.linalg.cholesky(a)


def tridiagonal_solve(lower, diagonal, upper, right):
    """Elimination downwards, substitution upwards, one place of all systems at a time: there is no routine."""
    ratios, values = [], []
    ratio = value = 0.0
    for i in range(right.shape[-1]):
        pivot = diagonal[..., i] - lower[..., i] * ratio
        ratio = upper[..., i] / pivot
        value = (right[..., i] - lower[..., i] * value) / pivot
        ratios.append(ratio)
        values.append(value)
    for i in reversed(range(right.shape[-1] - 1)):
        values[i] = values[i] - ratios[i] * values[i + 1]
    return xp.stack(values, axis=-1)


def small_solves(a, b):
    """Solve one system after the other, by LU factors."""
    return xp.linalg.solve(a, b)
