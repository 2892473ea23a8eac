"""The functions of a file: loaded as ``python FILE`` would, but not as ``__main__``."""

from __future__ import annotations

import importlib.util
import inspect
import os
import random
import sys
import traceback
from importlib.machinery import SourceFileLoader
from time import perf_counter

TYPE_CHECKING = False  # type checkers take it as true
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, Protocol

    import numpy

    from .again import Again

    class Use(Protocol):
        """Takes what is to be measured."""

        def __call__(self, function: Callable[..., Any], arguments: Sequence[Any], again: Again | None = None) -> None:
            """``again``: how it is set up again."""

    #: A function's size; None where it has none.
    Size = int | float | str | None

#: What random inputs are drawn from, the same in all processes.
SEED = 20_250_101

#: The size where there are inputs that want one, and no sizes.
DEFAULT_SIZE = 1000


class Mistake(Exception):
    """Something in the file that cannot be measured, on no side."""


class Skipped(Exception):
    """What is not meant to be measured here, as it says itself."""


class Absent(Exception):
    """What this side has not, and another has."""


class File:
    """A file with ``bench_*`` functions, and perhaps ``inputs`` and ``sizes``."""

    def __init__(self, path: str) -> None:
        self.path = os.path.abspath(path)
        sys.path.insert(0, os.path.dirname(self.path))
        name = os.path.splitext(os.path.basename(self.path))[0]
        # Whatever its name ends with.
        spec = importlib.util.spec_from_file_location(name, self.path, loader=SourceFileLoader(name, self.path))
        assert spec is not None and spec.loader is not None  # as it was given
        started = perf_counter()
        self.module = importlib.util.module_from_spec(spec)
        sys.modules[name] = self.module
        spec.loader.exec_module(self.module)
        self.seconds = perf_counter() - started
        self.functions = {
            key: value for key, value in vars(self.module).items() if key.startswith("bench_") and callable(value)
        }
        if not self.functions:
            raise Mistake("it has no function whose name begins with bench_")
        self.inputs = getattr(self.module, "inputs", None)
        if self.inputs is not None and not callable(self.inputs):
            raise Mistake("inputs is no function: inputs(rng, size) returns the arguments of the bench_ functions")

    def items(self) -> list[tuple[str, Size]]:
        """Return the function and the size of everything that there is to measure."""
        sizes = getattr(self.module, "sizes", None)
        if sizes is None:
            sizes = [DEFAULT_SIZE] if self.wanted() == 2 else [None]
        elif isinstance(sizes, (int, float, str)):
            sizes = [sizes]
        sizes = list(sizes)
        if not sizes or not all(size is None or (type(size) in (int, float, str) and size == size) for size in sizes):
            raise Mistake("sizes must be numbers: sizes = (100, 1000)")
        return [(name, size) for name in self.functions for size in sizes]

    def notes(self) -> list[str]:
        """Return what a reader must know of the file as a whole."""
        if self.wanted() == 2 and not hasattr(self.module, "sizes"):
            return [f"The file has no sizes: inputs(rng, size) got {DEFAULT_SIZE:,}."]
        return []

    def wanted(self) -> int:
        """Return how many arguments ``inputs`` takes, two at most."""
        if self.inputs is None:
            return 0
        try:
            parameters = inspect.signature(self.inputs).parameters.values()
        except (TypeError, ValueError):
            return 2
        if any(one.kind is one.VAR_POSITIONAL for one in parameters):
            return 2
        given = [one for one in parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
        if len(given) > 2:
            raise Mistake(f"inputs takes {len(given)} arguments: inputs(rng, size) is called")
        return len(given)

    def play(self, name: str, size: Size, use: Use) -> None:
        """Give a function and its arguments to ``use``.

        Raises
        ------
        Mistake
            The arguments are not those that the function takes.
        """
        if name not in self.functions:
            raise Absent(f"{name} is not defined here")
        function = self.functions[name]
        given = (generator(), size)[: self.wanted()]
        arguments = () if self.inputs is None else self.inputs(*given)
        if not isinstance(arguments, (tuple, list)):
            arguments = (arguments,)
        try:
            inspect.signature(function).bind(*arguments)
        except TypeError as error:
            if self.inputs is None:
                raise Mistake(f"{name} wants arguments, and there is no inputs(rng, size)") from error
            raise Mistake(f"{name} does not take what inputs returns: {error}") from error
        except ValueError:
            pass  # a function without a signature
        use(function, tuple(arguments))


def generator() -> random.Random | numpy.random.Generator:
    """Return what inputs are drawn from: NumPy's generator where it is there, Python's otherwise."""
    try:
        import numpy
    except ImportError:
        return random.Random(SEED)
    return numpy.random.default_rng(SEED)


def describe_error(error: BaseException, path: str | None = None) -> str:
    """Return an exception in a line, with the last place of the user's file that it passed."""
    kind = type(error).__name__
    if isinstance(error, (Absent, Mistake, Skipped)):
        return str(error)
    if isinstance(error, SyntaxError) and error.filename:
        return f"{kind}: {error.msg} ({os.path.basename(error.filename)}:{error.lineno})"
    if isinstance(error, SystemExit):
        kind, text = "it calls sys.exit", "" if error.code is None else repr(error.code)
    else:
        try:
            text = str(error)
        except Exception:  # its own, which cannot say what went wrong
            text = ""
    lines = [line for line in text.splitlines() if line.strip()]
    where = ""
    for frame in traceback.extract_tb(error.__traceback__):
        if path is not None and os.path.abspath(frame.filename) == path:
            where = f" ({os.path.basename(path)}:{frame.lineno})"
    return (kind + (": " + lines[0].strip() if lines else ""))[:300] + where
