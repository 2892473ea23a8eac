"""A recurrence whose values a loop stores one by one: every store rewrites the whole array, so time is quadratic.

Issue:    https://github.com/jax-ml/jax/issues/40101
Versions: jax 0.11.0 -> 0.11.1 (17 August 2026)
Reported: 9,400x at 200,000 steps (1.4 ms -> 13.2 s), 37,000x at 400,000; scan that stacks its results likewise
Old:      jax==0.11.0 jaxlib==0.11.0 numpy==2.2.6 scipy==1.15.3
New:      jax==0.11.1 jaxlib==0.11.1 numpy==2.2.6 scipy==1.15.3
Kind:     steady
"""

import jax
import jax.numpy as jnp
from jax import lax

sizes = (5_000, 20_000)  # steps


def inputs(rng, size):
    return (jnp.asarray(rng.uniform(0.1, 0.9, size), jnp.float32),)


def follow(x):
    return 3.7 * x * (1 - x)


@jax.jit
def stored(path):
    return lax.fori_loop(0, path.size - 1, lambda t, path: path.at[t + 1].set(follow(path[t])), path)


@jax.jit
def stacked(path):
    def step(x, _):
        x = follow(x)
        return x, x

    return lax.scan(step, path[0], None, length=path.size)[1]


@jax.jit
def last(path):  # nothing is stored: not slower
    return lax.fori_loop(0, path.size, lambda t, x: follow(x), path[0])


def bench_fori_loop(path):
    return stored(path)


def bench_scan(path):
    return stacked(path)


def bench_scalar_control(path):
    return last(path)
