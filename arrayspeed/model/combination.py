"""One value that asv can measure, and how its names are read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kernels import BACKENDS
from kernels.dtypes import ITEMSIZE


@dataclass(frozen=True)
class Combination:
    """One value that asv can measure: an environment, a benchmark and an index into its parameters."""

    environment: str
    benchmark: str
    index: int
    family: str
    kernel: str
    dtype: str | None
    measure: str
    backend: str
    size: int | None
    device: str | None

    @property
    def library(self) -> str:
        """The library that runs it."""
        return BACKENDS[self.backend].library if self.backend in BACKENDS else self.backend

    @property
    def chunk(self) -> tuple[str, str, int | None]:
        """Combinations with the same key are measured and saved together."""
        return self.environment, self.benchmark, self.size


def parse_name(name: str) -> dict[str, str | None]:
    """asv's name of a benchmark in its parts."""
    family, _, rest = name.partition(".")
    subject, _, measure = rest.rpartition(".")
    kernel, _, dtype = subject.rpartition("_")
    if dtype not in ITEMSIZE:
        return {"family": family, "kernel": subject, "dtype": None, "measure": measure}
    return {"family": family, "kernel": kernel, "dtype": dtype, "measure": measure}


def parse_parameters(parameters: tuple[str, ...]) -> dict[str, Any]:
    """Backend, size and device from asv's representations of them."""
    texts: list[str | None] = [*(text.strip("'\"") for text in parameters), *[None] * (3 - len(parameters))]
    backend, size, device = texts[:3]
    return {"backend": backend, "size": int(size) if size is not None else None, "device": device}
