"""A sort by sixteen keys at once: worked, then raised an error in the release with the new CPU runtime.

Issue:    https://github.com/jax-ml/jax/issues/23727
Versions: jax 0.4.31 -> 0.4.33 (-> 0.4.34)
Reported: an error where there was a result ("Unsupported number of sorted inputs: 17")
Old:      jax==0.4.31 jaxlib==0.4.31 numpy==2.0.2 scipy==1.14.1
New:      jax==0.4.33 jaxlib==0.4.33 numpy==2.0.2 scipy==1.14.1
Fixed:    jax==0.4.34 jaxlib==0.4.34 numpy==2.0.2 scipy==1.14.1
Kind:     result,steady
Kernels:  lexsort
"""

import jax.numpy as jnp

sizes = (576,)


def inputs(rng, size):
    return (jnp.asarray(rng.integers(0, 3, (size, 16)), jnp.int32),)


def bench_lexsort(table):
    return jnp.lexsort([table[:, i] for i in reversed(range(table.shape[1]))])
