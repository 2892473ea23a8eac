"""What pages and charts need of the backends: their colours, and what each is compared with."""

from __future__ import annotations

from kernels import BACKENDS
from kernels.backends import BASELINE, BASELINE_DEVICE

__all__ = ["BASELINE", "BASELINE_DEVICE", "COLOURS", "EAGER"]

COLOURS = {name: backend.colour for name, backend in BACKENDS.items()}

#: Backend that compiles -> the one that computes the same without.
EAGER = {name: backend.eager for name, backend in BACKENDS.items() if backend.eager}
