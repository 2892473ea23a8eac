"""Simulations in TensorFlow: loops in Python one operation at a time, and in the program where they are compiled."""

import tensorflow as tf

from kernels.names import tensorflow as xp
from kernels.shared import bind

shared = bind(__name__, xp)

n_body = shared.n_body
floyd_warshall = shared.floyd_warshall
total_variation = shared.total_variation


def looped(step, state, times):
    """Return a loop in the program: ``step`` takes a state and gives the next."""
    return tf.while_loop(lambda *now: True, lambda *now: step(*now), state, maximum_iterations=times)


def normal(d):
    """Return the normal distribution's function: TensorFlow has that of its error function only."""
    return 0.5 * tf.math.erfc(d * -(0.5**0.5))


def black_scholes(share, strike, years):
    """By the complementary error function."""
    return shared.prices(share, strike, years, normal)


def n_body_compiled(places, velocities, masses, steps):
    """Loop in the program."""
    state = shared.start(places, velocities, masses)
    return shared.end(looped(lambda *now: shared.step(now, masses), state, steps))


def sweep(u):
    """One sweep; nothing can be assigned to a part of an array."""
    rows = tf.concat((u[1:-1, :1], shared.inner_mean(u), u[1:-1, -1:]), 1)
    return tf.concat((u[:1], rows, u[-1:]), 0)


def jacobi_2d(u, sweeps):
    """Loop in Python."""
    for _ in range(sweeps):
        u = sweep(u)
    return u


def jacobi_2d_compiled(u, sweeps):
    """Loop in the program."""
    (u,) = looped(lambda now: (tf.ensure_shape(sweep(now), u.shape),), (u,), sweeps)
    return u


def laplacian(p):
    """Apply the five-point stencil, with zeros around the grid."""
    wide = tf.pad(p, ((1, 1), (1, 1)))
    return 4 * p - wide[:-2, 1:-1] - wide[2:, 1:-1] - wide[1:-1, :-2] - wide[1:-1, 2:]


def conjugate_gradient(b, iterations):
    """Loop in Python."""
    return shared.conjugate_gradient(laplacian, b, iterations)


def conjugate_gradient_compiled(b, iterations):
    """Loop in the program."""
    state = 0 * b, b, b, tf.reduce_sum(b * b)
    return looped(lambda *now: shared.iterate(laplacian, *now), state, iterations)[0]


def floyd_warshall_compiled(d):
    """Loop in the program."""
    n = d.shape[0]

    def through(k, now):
        column, row = tf.slice(now, (0, k), (n, 1)), tf.slice(now, (k, 0), (1, n))
        return k + 1, tf.minimum(now, column + row)

    return looped(through, (tf.constant(0), d), n)[1]
