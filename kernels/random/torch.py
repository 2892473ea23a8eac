"""Random numbers in PyTorch: a Generator, whose state each call moves on."""

import torch


def normal(generator, n, dtype):
    """Return standard normal numbers."""
    return torch.randn(n, generator=generator, dtype=getattr(torch, dtype), device=generator.device)


def normal_arguments(adapter, seed):
    """Return a generator on the device."""
    return (torch.Generator(adapter.where).manual_seed(int(seed)),)


def normal_compiled(like, n, dtype):
    """Return standard normal numbers by the default generator: torch.compile does not take one as an argument."""
    return torch.randn(n, dtype=getattr(torch, dtype), device=like.device)


def normal_compiled_arguments(adapter, seed):
    """Return an empty tensor, which says where; the default generator starts from the seed."""
    torch.manual_seed(int(seed))
    return (torch.empty(0, device=adapter.where),)
