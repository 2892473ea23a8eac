"""The types of `keeping`, which is a link to a file of our own benchmarks: its text is hashed, so they stand here."""

from collections.abc import Callable, Iterator
from ctypes import CDLL

WINDOWS: int
WINDOW: float
MOST_CALLS: int
FEWEST_CALLS: int
SETTLING: float
LONGEST: float
NOTHING: int
FURTHER: float

def libc() -> CDLL | None: ...
def handed_out(library: CDLL) -> int | None: ...
def small_blocks() -> int: ...
def kept_by(call: Callable[[], object], each: float) -> float | None: ...
def windows(number: int) -> Iterator[int]: ...
