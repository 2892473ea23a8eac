"""A function of a module that is imported when a kernel needs it, not with the file that names it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True)
class Late:
    """SciPy's, say, where NumPy alone has a family's other kernels: its import takes time and memory, and not theirs.

    `kernels.preparation.library_function` hands out the function itself, so that a timed call has nothing around it.
    """

    module: str
    name: str

    def found(self) -> Callable[..., Any]:
        """Return the function."""
        function: Callable[..., Any] = getattr(import_module(self.module), self.name)
        return function

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """As the function."""
        return self.found()(*arguments, **keywords)
