"""Linear algebra, as most libraries write it."""


def matmul(a, b):
    """A · B."""
    return a @ b


def matmul_transposed(x):
    """x · xᵀ."""
    return x @ x.T
