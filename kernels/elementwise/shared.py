"""Elementwise kernels, as all libraries but Numba write them."""


def add(a, b):
    """Return a + b."""
    return a + b


def multiply(a, b):
    """Return a · b."""
    return a * b


def sine(a):
    """sin(a)."""
    return xp.sin(a)


def elementwise(a, b):
    """Return a + b, a · b, sin(a)."""
    return a + b, a * b, xp.sin(a)


def arc_distance(theta1, phi1, theta2, phi2):
    """Haversine."""
    latitude = xp.sin((theta2 - theta1) / 2)
    longitude = xp.sin((phi2 - phi1) / 2)
    h = latitude * latitude + xp.cos(theta1) * xp.cos(theta2) * longitude * longitude
    return 2 * xp.arctan2(xp.sqrt(h), xp.sqrt(1 - h))
