"""Loops, as most libraries write their steps."""

from kernels.loops import FORCING, NEWTON, STEP


def escape(state, real, imaginary):
    """One iteration of z² + c in real arithmetic; what has escaped stays where it is."""
    x, y, count = state
    inside = x * x + y * y <= 4
    return (
        xp.where(inside, x * x - y * y + real, x),
        xp.where(inside, 2 * x * y + imaginary, y),
        xp.where(inside, count + 1, count),
    )


def slope(x):
    """Of Lorenz's model."""
    return (xp.roll(x, -1, 0) - xp.roll(x, 2, 0)) * xp.roll(x, 1, 0) - x + FORCING


def step(x):
    """One step of Runge and Kutta."""
    one = slope(x)
    two = slope(x + STEP / 2 * one)
    three = slope(x + STEP / 2 * two)
    four = slope(x + STEP * three)
    return x + STEP / 6 * (one + 2 * two + 2 * three + four)


def runge_kutta(x, steps):
    """Loop in Python."""
    for _ in range(steps):
        x = step(x)
    return x


def kepler(mean, eccentricity):
    """Make all of Newton's steps, written out by a loop in Python."""
    e = mean + 0.85 * eccentricity * xp.sign(xp.sin(mean))
    for _ in range(NEWTON):
        e = e - (e - eccentricity * xp.sin(e) - mean) / (1 - eccentricity * xp.cos(e))
    return e


def small_scan(a, x):
    """Loop in Python."""
    h = 0 * x[0]
    for t in range(x.shape[0]):
        h = xp.tanh(a @ h + x[t])
    return h
