"""Linear algebra in TensorFlow."""


def matmul(a, b):
    """A · B."""
    return a @ b
