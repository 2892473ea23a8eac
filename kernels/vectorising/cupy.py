"""A batch in CuPy."""

import cupy as cp

from kernels.shared import bind

shared = bind(__name__, cp)

layer = shared.layer
vmap_vectorised = shared.vmap_vectorised
vmap_loop = shared.vmap_loop
