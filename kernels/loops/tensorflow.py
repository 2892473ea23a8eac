"""Loops in TensorFlow: in Python one operation at a time, and in the program where they are compiled."""

import tensorflow as tf

from kernels.names import tensorflow as xp
from kernels.shared import bind

shared = bind(__name__, xp)

runge_kutta = shared.runge_kutta
kepler = shared.kepler


def begin(real, imaginary):
    """Return the state of all points before the first iteration, and the points."""
    zeros = tf.zeros((real.shape[0], imaginary.shape[0]), real.dtype)
    return (zeros, zeros, tf.zeros(zeros.shape, tf.int32)), (real[:, None], imaginary[None, :])


def mandelbrot(real, imaginary, iterations):
    """Compute all points at once, a loop in Python."""
    state, points = begin(real, imaginary)
    for _ in range(iterations):
        state = shared.escape(state, *points)
    return state[2]


def mandelbrot_compiled(real, imaginary, iterations):
    """Compute all points at once, the loop in the program."""
    state, points = begin(real, imaginary)
    step = lambda *now: shared.escape(now, *points)  # noqa: E731
    return tf.while_loop(lambda *now: True, step, state, maximum_iterations=iterations)[2]


def runge_kutta_compiled(x, steps):
    """Loop in the program."""
    (x,) = tf.while_loop(lambda now: True, lambda now: (shared.step(now),), (x,), maximum_iterations=steps)
    return x


def linear_recurrence(a, b):
    """TensorFlow's scan, a row after the other."""
    return tf.scan(lambda h, now: now[0] * h + now[1], (a, b), tf.zeros_like(b[0]))


def small_scan(a, x):
    """Loop in Python."""
    h = tf.zeros_like(x[0])
    for t in range(x.shape[0]):
        h = tf.tanh(tf.linalg.matvec(a, h) + x[t])
    return h


def small_scan_compiled(a, x):
    """Loop in the program."""
    n = x.shape[0]
    step = lambda t, h: (t + 1, tf.tanh(tf.linalg.matvec(a, h) + x[t]))  # noqa: E731
    return tf.while_loop(lambda t, h: t < n, step, (0, tf.zeros_like(x[0])), maximum_iterations=n)[1]


def ring_walk(following, goal):
    """TensorFlow's loop; without a compiler, an operation at a time."""
    step = lambda place, count: (following[place], count + 1)  # noqa: E731
    start = tf.zeros((), following.dtype), tf.zeros((), following.dtype)
    return tf.while_loop(lambda place, count: place != goal, step, start)[1]
