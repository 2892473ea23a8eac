"""A place of its own on Python's stack for each timed loop, so that who calls it does not change its speed."""

from __future__ import annotations

import timeit
from collections.abc import Callable
from functools import partial
from types import FunctionType

#: Slots of a frame that is more than half as large as the chunk of memory that Python takes for it: the rest of the
#: chunk, half a megabyte, is room for the frames of every call inside.
SLOTS = 2**16 + 2**10

#: As many frames as TensorFlow looks at.
FRAMES = 30


def with_room(function: Callable[[], object]) -> Callable[[], object]:
    """Return the function in a frame so large that no call inside begins a new chunk of Python's stack.

    From Python 3.11 on frames lie in chunks of 16 KiB. A loop that happens to be where one ends has every call take a
    chunk from the system and give it back: eager TensorFlow's addition then takes 45 µs instead of 14, gradients in
    PyTorch 64 instead of 34. Where chunks end depends on every caller (https://github.com/python/cpython/issues/142183,
    mended in later releases).
    """

    def roomy():
        return function()

    code = roomy.__code__.replace(co_stacksize=SLOTS)
    return FunctionType(code, globals(), roomy.__name__, None, roomy.__closure__)


def below_short_frames(function: Callable[[], object], frames: int = FRAMES) -> Callable[[], object]:
    """Return the function, called through frames that are quickly looked at.

    At every eager operation TensorFlow notes the line in each of the 30 innermost frames of Python's stack
    (StackTrace::Capture, kStackTraceInitialSize), which takes the longer the more code a frame's function has before
    that line. Below asv's functions an addition took 18 µs, below short ones 14.
    """

    def through(inner):
        return lambda: inner()

    for _ in range(frames):
        function = through(function)
    return function


class Timer(timeit.Timer):
    """timeit's timer, in a place of its own on the stack, below so many short frames."""

    def __init__(self, *arguments, frames: int = FRAMES, **options) -> None:
        super().__init__(*arguments, **options)
        self.frames = frames

    def timeit(self, number: int = timeit.default_number) -> float:
        """Seconds of ``number`` calls."""
        return with_room(below_short_frames(partial(super().timeit, number), self.frames))()
