"""Linear algebra in PyTorch."""


def matmul(a, b):
    """A · B."""
    return a @ b
