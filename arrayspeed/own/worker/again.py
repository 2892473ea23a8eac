"""How a benchmark is set up again, so that every call, or every batch of calls, has the same problem to solve."""

from __future__ import annotations

import copy

from . import values

TYPE_CHECKING = False  # type checkers take it as true
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, Protocol

    class Again(Protocol):
        """How something is set up again.

        Attributes
        ----------
        every
            Calls after which it has to be; 0 where that depends on whether a call changes what it was given.
        batches
            Whether it is set up again before each batch, whatever its calls change.
        note
            What a reader must know where it is set up before every call: the kind of a note; "" where that is nothing.
        """

        every: int
        batches: bool
        note: str

        def __call__(self, arguments: Sequence[Any]) -> Sequence[Any]:
            """Set it up, and return its arguments; ``arguments``: those of the call before."""

        def state(self, arguments: Sequence[Any]) -> list[str | None]:
            """Return digests of what a call was given, where they can be read."""


class Setup:
    """A benchmark of asv, by its ``setup`` and ``teardown``."""

    batches, note = True, ""

    def __init__(self, benchmark: Any) -> None:
        self.benchmark = benchmark
        self.every: int = benchmark.number

    def __call__(self, arguments: Sequence[Any]) -> Sequence[Any]:
        """Take down what the calls before left, and set up anew."""
        self.benchmark.do_teardown()
        self.benchmark.do_setup()
        return arguments

    def state(self, arguments: Sequence[Any]) -> list[str | None]:
        """Return digests of what ``setup`` made: a call that changes it needs another ``setup``."""
        made = [*arguments, *vars(getattr(self.benchmark.func, "__self__", self)).values()]
        return [readable(each) for each in made if each is not self.benchmark]


class Fresh:
    """A function whose arguments are made anew: copied, or where that is impossible made as the first ones were.

    ``asked``: before every call, whether or not the first one changes them.
    """

    batches, note = False, "fresh"

    def __init__(self, make: Callable[[], Sequence[Any]], asked: bool = False) -> None:
        self.make = make
        self.every = int(asked)
        self.first: Sequence[Any] | None = None
        self.copies = True

    def __call__(self, arguments: Sequence[Any]) -> Sequence[Any]:
        """Return new arguments."""
        if self.first is None:
            self.first = self.make()
        if self.copies:
            try:
                return copy.deepcopy(self.first)
            except Exception:  # whatever a class raises that cannot be copied
                self.copies = False
        return self.make()

    def state(self, arguments: Sequence[Any]) -> list[str | None]:
        """Return the arguments' digests."""
        return [readable(each) for each in arguments]


def readable(value: object) -> str | None:
    """Return a digest; None where there is none."""
    try:
        return values.fingerprint(value)
    except values.Unknown:
        return None
