"""A batch in PyTorch."""

import torch


def layer(x, w, b):
    """A dense layer on one example."""
    return torch.tanh(w @ x + b)


#: Mapped over the first axis of the examples; weights and biases are shared.
vmap_mapped = torch.vmap(layer, in_dims=(0, None, None))


def vmap_vectorised(x, w, b):
    """A dense layer on a batch."""
    return torch.tanh(x @ w.T + b)


def vmap_loop(x, w, b):
    """One example at a time. Compiled it is unrolled: torch.compile has no public loop that stays one."""
    return torch.stack([layer(example, w, b) for example in x])
