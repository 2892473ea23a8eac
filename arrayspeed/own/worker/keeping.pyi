"""The types of `keeping`, which is a link to a file of our own benchmarks: its text is hashed, so they stand here."""

from array import array
from collections.abc import Callable, Iterator
from ctypes import CDLL
from typing import NamedTuple, Protocol

WINDOWS: int
WINDOW: float
MOST_CALLS: int
FEWEST_CALLS: int
SETTLING: float
LONGEST: float
NOTHING: int
FURTHER: float
NO_GROWTH: int
MOST_GROWTH: int

class Kept(NamedTuple):
    counted: float | None
    grown: float | None
    within: float | None

class Readings:
    calls: array[int]
    bytes: array[int]
    number: int
    def take(self, calls: int) -> None: ...
    def growth(self, start: int) -> tuple[float | None, float | None]: ...
    @property
    def span(self) -> int: ...

class Holder(Protocol):
    call: Callable[[], object]

def libc() -> CDLL | None: ...
def handed_out(library: CDLL | None) -> int | None: ...
def small_blocks() -> int: ...
def resident() -> int | None: ...
def kept_by(call: Callable[[], object], each: float) -> Kept: ...
def kept_of(holder: Holder) -> Kept: ...
def windows(number: int) -> Iterator[int]: ...
