"""A loop that fills an array from one of its own places, picked at random: the array is copied in every step.

Issue:    https://github.com/jax-ml/jax/issues/31284 and 31282, https://github.com/patrick-kidger/equinox/issues/1088
Versions: jax 0.7.0 -> 0.7.1
Reported: 11x at 20,000 steps (17 ms -> 177 ms), 36x at 80,000 (63 ms -> 2.2 s)
Old:      jax==0.7.0 jaxlib==0.7.0 numpy==2.2.6 scipy==1.15.3
New:      jax==0.7.1 jaxlib==0.7.1 numpy==2.2.6 scipy==1.15.3
Kind:     steady
"""

import jax
import jax.numpy as jnp
from jax import lax

sizes = (5_000, 20_000)  # steps


def inputs(rng, size):
    return (jnp.asarray(rng.standard_normal(size), jnp.float32),)


@jax.jit
def fill(values):
    def unfinished(state):
        return state[0] < values.size

    def step(state):
        place, values = state
        chosen = jax.random.randint(jax.random.key(place), (), 0, 2)  # a simpler pick is not slower
        return place + 1, values.at[place].set(values[chosen])

    return lax.while_loop(unfinished, step, (0, values))[1]


def bench_fill(values):
    return fill(values)
