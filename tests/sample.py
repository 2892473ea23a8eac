"""What `make test` takes of torch.compile, which needs seconds for each program: one kernel a family. The others have
the marker ``compile``, and run in `make test-all`.
"""

import pytest

from kernels import CATALOGUE
from kernels.catalogue import backends_of

SAMPLED = "torch-compile"

POSSIBLE = [kernel for kernel in CATALOGUE.values() if SAMPLED in (backend.name for backend in backends_of(kernel))]

#: Family -> its first kernel that can be compiled.
FIRST = {kernel.family: kernel.name for kernel in reversed(POSSIBLE)}

REST = [kernel.name for kernel in POSSIBLE if kernel.name not in FIRST.values()]


def marks(kernel, backend):
    """The marks of a test of one kernel on one backend."""
    return [pytest.mark.compile] if backend == SAMPLED and kernel in REST else []


def on_each(backends):
    """Parameters ``(backend, kernels)`` that hold every kernel of every backend once. No kernels stand for all of them,
    wherever `make test` takes no sample.
    """
    found = [pytest.param(backend, (), id=backend) for backend in backends if backend != SAMPLED]
    if SAMPLED in backends:
        found.append(pytest.param(SAMPLED, tuple(FIRST.values()), id=f"{SAMPLED}-one-a-family"))
        found.append(pytest.param(SAMPLED, tuple(REST), id=f"{SAMPLED}-the-others", marks=pytest.mark.compile))
    return found
