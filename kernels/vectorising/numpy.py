"""A batch in NumPy."""

import numpy as np

from kernels.shared import bind

shared = bind(__name__, np)

layer = shared.layer
vmap_vectorised = shared.vmap_vectorised
vmap_loop = shared.vmap_loop


#: A loop in Python behind the signature: there is no vectorising map in NumPy.
vmap_mapped = np.vectorize(layer, signature="(d),(m,d),(m)->(m)")
