"""Loops in JAX: in Python one operation at a time, and in the program where they are compiled.

`jax.lax` compiles its loops also where nothing else is compiled, and does so anew at every call that brings a function
of its own.
"""

import jax
import jax.numpy as jnp

from kernels.shared import bind

shared = bind(__name__, jnp)

runge_kutta = shared.runge_kutta
kepler = shared.kepler
small_scan = shared.small_scan


def begin(real, imaginary):
    """Return the state of all points before the first iteration, and the points."""
    zeros = jnp.zeros((real.size, imaginary.size), real.dtype)
    return (zeros, zeros, jnp.zeros(zeros.shape, jnp.int32)), (real[:, None], imaginary[None, :])


def mandelbrot(real, imaginary, iterations):
    """Compute all points at once, a loop in Python."""
    state, points = begin(real, imaginary)
    for _ in range(iterations):
        state = shared.escape(state, *points)
    return state[2]


def mandelbrot_compiled(real, imaginary, iterations):
    """Compute all points at once, the loop in the program."""
    state, points = begin(real, imaginary)
    return jax.lax.fori_loop(0, iterations, lambda _, now: shared.escape(now, *points), state)[2]


def runge_kutta_compiled(x, steps):
    """Loop in the program."""
    return jax.lax.fori_loop(0, steps, lambda _, now: shared.step(now), x)


def both(first, second):
    """Two steps as one."""
    return first[0] * second[0], first[1] * second[0] + second[1]


def linear_recurrence(a, b):
    """Scan in parallel: log₂ n levels (Blelloch, 1990)."""
    return jax.lax.associative_scan(both, (a, b))[1]


def small_scan_compiled(a, x):
    """JAX's scan."""
    return jax.lax.scan(lambda h, new: (jnp.tanh(a @ h + new), None), jnp.zeros_like(x[0]), x)[0]


def ring_walk(following, goal):
    """Visit one element after the other, each fetched."""
    place, count = 0, 0
    while place != goal:
        place, count = int(following[place]), count + 1
    return jnp.asarray(count)


def ring_walk_compiled(following, goal):
    """JAX's loop."""
    start = jnp.zeros((), following.dtype), jnp.zeros((), following.dtype)
    return jax.lax.while_loop(lambda now: now[0] != goal, lambda now: (following[now[0]], now[1] + 1), start)[1]
