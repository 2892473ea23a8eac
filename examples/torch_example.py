"""A layer of PyTorch, forwards and backwards."""

# /// script
# dependencies = ["torch", "numpy"]
# ///
import torch

sizes = (64,)


def inputs(rng, size):
    torch.manual_seed(1)
    layer = torch.nn.Linear(size, size)
    return layer, torch.from_numpy(rng.standard_normal((32, size))).float()


def bench_forward(layer, x):
    with torch.no_grad():
        return layer(x)


def bench_backward(layer, x):
    layer.zero_grad()
    layer(x).square().mean().backward()
    return layer.weight.grad
