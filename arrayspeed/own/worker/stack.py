"""A place on Python's stack for the timing loop that is the same as in a script, whoever calls it."""

from __future__ import annotations

from types import FunctionType

TYPE_CHECKING = False  # type checkers take it as true
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    Result = TypeVar("Result")

#: Slots of a frame for which no chunk of 16 KiB has room, so that Python begins a chunk of 32 KiB with it: what is left
#: of that is as much as a script has.
SLOTS = 2048


def as_in_a_script(function: Callable[[], Result]) -> Result:
    """Call a function at the start of a chunk of Python's stack.

    From Python 3.11 on frames lie in chunks of 16 KiB. A loop that happens to be where one ends has every call take a
    chunk from the system and give it back, which takes a microsecond or more. A script begins at the start of a chunk;
    a worker, and whoever loads a file for it, has some of one used up.
    `benchmarks.stack` gives kernels half a megabyte instead: with it a function that needs more than 16 KiB itself
    would be faster here than in a script.
    """

    def first() -> Result:
        return function()

    code = first.__code__.replace(co_stacksize=SLOTS)
    result: Result = FunctionType(code, globals(), first.__name__, None, first.__closure__)()
    return result
