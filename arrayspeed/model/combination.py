"""One value that asv can measure, and how its names are read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
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
    def place(self) -> tuple[str, str, int | None, str | None]:
        """What tells combinations of an environment apart, whichever index asv gave them."""
        return self.benchmark, self.backend, self.size, self.device

    @property
    def key(self) -> tuple[str, str, str | None, str, str, int | None, str | None]:
        """What tells combinations of an environment apart in the table of results."""
        return self.family, self.kernel, self.dtype, self.measure, self.backend, self.size, self.device

    @property
    def chunk(self) -> tuple[str, str, int | None]:
        """Combinations that follow each other with the same key are measured and saved together."""
        return self.environment, self.benchmark, self.size


@lru_cache(maxsize=4096)
def parse_name(name: str) -> Mapping[str, Any]:
    """asv's name of a benchmark in its parts: family, kernel, dtype and measure."""
    family, _, rest = name.partition(".")
    subject, _, measure = rest.rpartition(".")
    kernel, _, dtype = subject.rpartition("_")
    known = dtype in ITEMSIZE
    parts = {"family": family, "kernel": kernel if known else subject, "dtype": dtype if known else None}
    return MappingProxyType(parts | {"measure": measure})


@lru_cache(maxsize=4096)
def parse_parameters(parameters: tuple[str, ...]) -> Mapping[str, Any]:
    """Backend, size and device from asv's representations of them."""
    texts: list[str | None] = [*(text.strip("'\"") for text in parameters), *[None] * (3 - len(parameters))]
    backend, size, device = texts[:3]
    return MappingProxyType({"backend": backend, "size": int(size) if size is not None else None, "device": device})
