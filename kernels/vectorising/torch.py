"""A batch in PyTorch."""

import torch

from kernels.shared import bind

shared = bind(__name__, torch)

layer = shared.layer
vmap_vectorised = shared.vmap_vectorised
vmap_loop = shared.vmap_loop


#: Mapped over the first axis of the examples; weights and biases are shared.
vmap_mapped = torch.vmap(layer, in_dims=(0, None, None))
