"""The functions of a file: loaded as ``python FILE`` would, but not as ``__main__``."""

from __future__ import annotations

import dis
import importlib.util
import inspect
import os
import sys
import traceback
from importlib.machinery import SourceFileLoader
from time import perf_counter

from .again import Fresh
from .drawing import generator

TYPE_CHECKING = False  # type checkers take it as true
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, Protocol

    from .again import Again

    class Use(Protocol):
        """Takes what is to be measured."""

        def __call__(self, function: Callable[..., Any], arguments: Sequence[Any], again: Again | None = None) -> None:
            """``again``: how it is set up again."""

    #: A function's size; None where it has none.
    Size = int | float | str | None

#: The size where there are inputs that want one, and no sizes.
DEFAULT_SIZE = 1000


class Mistake(Exception):
    """Something in the file that cannot be measured, on no side."""


class Skipped(Exception):
    """What is not meant to be measured here, as it says itself."""


class Absent(Exception):
    """What this side has not, and another has."""


#: What a file may say of all its functions, or of one: `inputs`, or `inputs_sort` for `bench_sort`.
INPUTS, SIZES, FRESH, PARALLEL, THREADS = "inputs", "sizes", "fresh", "parallel", "threads"

#: The most processes or threads that may call at once.
MOST_AT_ONCE = 256

#: Functions that judge what `bench_NAME` returned on two sides, or take what it returned on the other one.
ACROSS = ("same", "exchange")


class File:
    """A file with ``bench_*`` functions, and what it says of them.

    Attributes
    ----------
    same, exchange
        ``bench_NAME`` -> the function ``same_NAME``, or ``exchange_NAME``.
    """

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
        self.same, self.exchange = (self.across(kind) for kind in ACROSS)

    def across(self, kind: str) -> dict[str, Callable[..., Any]]:
        """Return the functions of a kind that the file has: ``bench_NAME`` -> function.

        Raises
        ------
        Mistake
            One is no function.
        """
        found = {}
        for key in self.functions:
            name = f"{kind}_{key[len('bench_') :]}"
            function = getattr(self.module, name, None)
            if function is not None and not callable(function):
                raise Mistake(f"{name} is no function")
            if function is not None:
                found[key] = function
        return found

    def said(self, what: str, function: str) -> tuple[str, Any]:
        """Return what the file says of one function, or else of all, and its name there; None where that is nothing."""
        for name in (f"{what}_{function[len('bench_') :]}", what):
            if getattr(self.module, name, None) is not None:
                return name, getattr(self.module, name)
        return what, None

    def inputs(self, function: str) -> tuple[str, Callable[..., Any] | None]:
        """Return what makes a function's arguments, and its name; None where nothing does.

        Raises
        ------
        Mistake
            It is no function.
        """
        name, found = self.said(INPUTS, function)
        if found is not None and not callable(found):
            raise Mistake(f"{name} is no function: {name}(rng, size) returns the arguments of {function}")
        return name, found

    def items(self) -> list[tuple[str, Size]]:
        """Return the function and the size of everything that there is to measure."""
        return [(function, size) for function in self.functions for size in self.sizes(function)]

    def sizes(self, function: str) -> list[Size]:
        """Return the sizes of a function.

        Raises
        ------
        Mistake
            They are none.
        """
        name, sizes = self.said(SIZES, function)
        if sizes is None:
            return [DEFAULT_SIZE] if self.wanted(function) == 2 else [None]
        found = [sizes] if isinstance(sizes, (int, float, str)) else list(sizes)
        if not found or not all(size is None or (type(size) in (int, float, str) and size == size) for size in found):
            raise Mistake(f"{name} must be numbers: {name} = (100, 1000)")
        return found

    def at_once(self, what: str) -> dict[str, int]:
        """Return how many processes, or threads, call a function at once: those that are not called alone.

        Raises
        ------
        Mistake
            It is no such number.
        """
        found = {}
        for function in self.functions:
            name, number = self.said(what, function)
            if number is None or number == 1:
                continue
            if type(number) is not int or not 1 < number <= MOST_AT_ONCE:
                raise Mistake(f"{name} must be a whole number from 1 to {MOST_AT_ONCE}: {name} = 4")
            found[function] = number
        return found

    def notes(self) -> list[str]:
        """Return what a reader must know of the file as a whole."""
        missing = [name for name in self.functions if self.wanted(name) == 2 and self.said(SIZES, name)[1] is None]
        if not missing:
            return []
        inputs = ", ".join(dict.fromkeys(self.inputs(name)[0] for name in missing))
        return [f"The file has no sizes: {inputs}(rng, size) got {DEFAULT_SIZE:,}."]

    def unused(self) -> list[str]:
        """Return names that belong to functions which are not here: ``inputs_f`` where there is no ``bench_f``."""
        kinds = (INPUTS, SIZES, FRESH, PARALLEL, THREADS, *ACROSS)
        return sorted(
            name
            for name in vars(self.module)
            for kind in kinds
            if name.startswith(kind + "_") and f"bench_{name[len(kind) + 1 :]}" not in self.functions
        )

    def wanted(self, function: str) -> int:
        """Return how many arguments a function's ``inputs`` takes, two at most."""
        name, inputs = self.inputs(function)
        if inputs is None:
            return 0
        try:
            parameters = inspect.signature(inputs).parameters.values()
        except (TypeError, ValueError):
            return 2
        if any(each.kind is each.VAR_POSITIONAL for each in parameters):
            return 2
        given = [each for each in parameters if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)]
        if len(given) > 2:
            raise Mistake(f"{name} takes {len(given)} arguments: {name}(rng, size) is called")
        return len(given)

    def arguments(self, function: str, size: Size) -> tuple[Any, ...]:
        """Return a function's arguments, the same ones whenever they are made."""
        _, inputs = self.inputs(function)
        if inputs is None:
            return ()
        # What makes random numbers has NumPy import more, and free large blocks, than a program that draws none.
        rng = generator() if uses_first(inputs) else None
        made = inputs(*(rng, size)[: self.wanted(function)])
        return tuple(made) if isinstance(made, (tuple, list)) else (made,)

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
        inputs, made_by = self.inputs(name)
        arguments = self.arguments(name, size)
        try:
            inspect.signature(function).bind(*arguments)
        except TypeError as error:
            if made_by is None:
                raise Mistake(f"{name} wants arguments, and there is no inputs(rng, size)") from error
            raise Mistake(
                f"{name} does not take what {inputs} returns: {error}; inputs_{name[len('bench_') :]}(rng, size) would "
                "make arguments for it alone"
            ) from error
        except ValueError:
            pass  # a function without a signature
        asked = bool(self.said(FRESH, name)[1])
        use(function, arguments, Fresh(lambda: self.arguments(name, size), asked) if arguments else None)


def uses_first(function: Callable[..., Any]) -> bool:
    """Return whether a function may use its first argument: False only where its code says that it does not."""
    if not inspect.isfunction(function) or hasattr(function, "__wrapped__") or not function.__code__.co_argcount:
        return True
    code = function.__code__
    name = code.co_varnames[0]
    if name in code.co_cellvars or {"locals", "vars", "eval", "exec"} & set(code.co_names):
        return True
    used = [step.argval for step in dis.get_instructions(code) if "_FAST" in step.opname]
    return any(name in one if isinstance(one, tuple) else name == one for one in used)


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
