"""A polynomial, as all libraries but Numba write it, and its derivatives where nothing differentiates: NumPy, CuPy."""


def polynomial(x):
    """−4x³ + 9x² + 6x − 3."""
    return -4 * x * x * x + 9 * x * x + 6 * x - 3


def step(x, order):
    """Return the step that balances truncation and rounding: ε to the power 1 / (order + 2), x being about 1."""
    return xp.finfo(x.dtype).eps ** (1 / (order + 2))


def derivative1(x):
    """Central differences, two evaluations."""
    h = step(x, 1)
    return (polynomial(x + h) - polynomial(x - h)) / (2 * h)


def derivative2(x):
    """Central differences, three evaluations."""
    h = step(x, 2)
    return (polynomial(x + h) - 2 * polynomial(x) + polynomial(x - h)) / (h * h)


def derivative3(x):
    """Central differences, four evaluations."""
    h = step(x, 3)
    near = polynomial(x + h) - polynomial(x - h)
    far = polynomial(x + 2 * h) - polynomial(x - 2 * h)
    return (far - 2 * near) / (2 * h * h * h)
