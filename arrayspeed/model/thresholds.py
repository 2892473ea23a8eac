"""What counts as a change of each quantity: one table, for kernels and for people's own code."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Threshold:
    """What counts as a change.

    Attributes
    ----------
    factor
        The least ratio that matters, where the one that is asked for may be too strict: of what happens once a process,
        and of errors, whose digits count.
    least
        A difference that never matters, in the quantity's unit.
    floor
        The value below which all are alike, in the same unit.
    noise
        Standard deviation of the logarithm of one pair's ratio that is usual, for comparisons that are too few to show
        it themselves; 0 where none is.
    """

    factor: float | None = None
    least: float = 0.0
    floor: float = 0.0
    noise: float = 0.0

    def asked(self, factor: float) -> float | None:
        """Return the ratio that matters where somebody asks for ``factor``; None where it is that one."""
        return None if self.factor is None else max(self.factor, factor)


#: A time of calls. The usual noise of this and those below is what copies of the examples showed, rounded up
#: (docs/lab/2026-11-gate.md).
CALLS = Threshold(noise=0.03)

#: A figure that a program gives of itself, of whose noise nothing is known.
FIGURES = Threshold()

#: What happens once a process is noisy, and matters less.
FIRST_CALL = Threshold(1.10, least=0.010, floor=0.005, noise=0.12)
IMPORT = Threshold(1.10, least=0.020, floor=0.010, noise=0.06)

#: Memory of a call, above an allocator's own grain, and the peak of a whole process.
MEMORY = Threshold(least=2.0**20, floor=2.0**16)
PEAK = Threshold(least=2.0**20)

#: What every call keeps: an entry of a list now and then is nothing.
KEPT = Threshold(least=64.0, floor=64.0)

#: Growth of resident memory a call.
GROWTH = Threshold(least=2.0**10, floor=2.0**10)

#: Errors, relative to the largest element: a matter of digits, above rounding.
ERRORS = Threshold(2.0, floor=2.0**-52)
