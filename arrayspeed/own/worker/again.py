"""How a benchmark of a suite is set up again."""

from __future__ import annotations

from . import values

TYPE_CHECKING = False  # type checkers take it as true
if TYPE_CHECKING:
    from typing import Any


class Again:
    """How a benchmark is set up again.

    Attributes
    ----------
    every
        Calls after which it has to be: the benchmark's ``number``; 0 where it has none, which is before each batch.
    """

    def __init__(self, benchmark: Any) -> None:
        self.benchmark = benchmark
        self.every: int = benchmark.number

    def __call__(self) -> None:
        """Take down what the calls before left, and set up anew."""
        self.benchmark.do_teardown()
        self.benchmark.do_setup()

    def state(self) -> list[str | None]:
        """Digests of what ``setup`` made, where they can be read: a call that changes it needs another ``setup``."""
        made = [*self.benchmark._build_params(), *vars(getattr(self.benchmark.func, "__self__", self)).values()]
        return [readable(each) for each in made if each is not self.benchmark]


def readable(value: object) -> str | None:
    """Return a digest; None where there is none."""
    try:
        return values.fingerprint(value)
    except values.Unknown:
        return None
