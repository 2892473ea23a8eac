"""A batch in MLX."""

import mlx.core as mx

from kernels.shared import bind

shared = bind(__name__, mx)

layer = shared.layer
vmap_vectorised = shared.vmap_vectorised
vmap_loop = shared.vmap_loop


#: Mapped over the first axis of the examples; weights and biases are shared.
vmap_mapped = mx.vmap(layer, in_axes=(0, None, None))
