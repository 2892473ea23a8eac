"""Hamiltonian Monte Carlo on a logistic regression: leapfrog steps inside a scan (reported downstream, by blackjax).

Issue:    https://github.com/blackjax-devs/blackjax/issues/746, led to https://github.com/jax-ml/jax/discussions/24501
Versions: jax 0.4.30 -> 0.4.34
Reported: more than 2x
Old:      jax==0.4.30 jaxlib==0.4.30 numpy==2.0.2 scipy==1.14.1
New:      jax==0.4.34 jaxlib==0.4.34 numpy==2.0.2 scipy==1.14.1
Kind:     steady
Kernels:  small_scan_gradient runge_kutta
"""

import jax
import jax.numpy as jnp
from jax import lax

sizes = (20, 200)  # proposals


def inputs(rng, size):
    x = rng.standard_normal((50, 3))
    y = (x @ [1.0, -2.0, 0.5] + rng.standard_normal(50) > 0).astype(float)
    return jnp.asarray(x, jnp.float32), jnp.asarray(y, jnp.float32), jax.random.split(jax.random.PRNGKey(0), size)


@jax.jit
def sample(x, y, keys):
    def energy(w):
        logits = x @ w
        return -(y * logits - jax.nn.softplus(logits)).sum() + 0.5 * (w**2).sum()

    force = jax.grad(energy)

    def leap(state, _):
        w, p = state
        p = p - 0.025 * force(w)
        w = w + 0.05 * p
        p = p - 0.025 * force(w)
        return (w, p), None

    def propose(w, key):
        kick, coin = jax.random.split(key)
        p = jax.random.normal(kick, w.shape)
        (new, q), _ = lax.scan(leap, (w, p), None, length=30)
        gain = energy(w) - energy(new) + 0.5 * (p @ p - q @ q)
        w = jnp.where(jnp.log(jax.random.uniform(coin)) < gain, new, w)
        return w, w

    return lax.scan(propose, jnp.zeros(3), keys)[1]


def bench_hmc(x, y, keys):
    return sample(x, y, keys)
