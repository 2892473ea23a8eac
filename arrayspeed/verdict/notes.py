"""What a reader must know of every verdict, in sentences."""

from __future__ import annotations

import re

from arrayspeed.decide.words import ERROR_RATE
from arrayspeed.model.thresholds import ERRORS, FIRST_CALL, GROWTH, IMPORT, KEPT, MEMORY
from arrayspeed.model.units import human_bytes, human_time

#: What a time is where memory is retained.
STATES = (
    "Memory retained: the same calls in a process that has freed a block of 32 MiB before, so that glibc keeps what "
    "they free. Otherwise it gives large blocks back to the system, and each call takes their pages anew."
)


def rule(reference: str, factor: float, limit: float, unclear: float, errors: bool = False) -> str:
    """Return what the words mean.

    Parameters
    ----------
    reference
        What ratios are to.
    factor, limit, unclear
        The ratio beyond which a change is reported, the one that must be excluded, and the share of comparisons of
        which it need not be.
    errors
        Whether these are among the measures.
    """
    once = FIRST_CALL.asked(factor)
    first, imported = (rounded(human_time(each.least)) for each in (FIRST_CALL, IMPORT))
    memory, kept, growth = (rounded(human_bytes(each.least)) for each in (MEMORY, KEPT, GROWTH))
    of_errors = f"; errors ×{ERRORS.asked(factor):g}" if errors else ""
    every = f"all but {unclear:.0%} of the comparisons" if unclear else "all comparisons"
    once_given = f"first call and import ×{once:g}{of_errors}"
    return (
        f"Ratios are to {reference or 'the first side'}, less is better. A change is one beyond ×{factor:g} "
        f"({once_given}) and {first} of a first call, {imported} of an import, {memory} of memory, {kept} kept and "
        f"{growth} of growth a call; a smaller difference is negligible. Safe: nothing is worse, and {every} are shown "
        f"to stay below ×{limit:g}. At most {ERROR_RATE:.0%} of such statements are wrong, on average."
    )


def rounded(text: str) -> str:
    """Return a value without digits that say nothing: 10 ms in place of 10.0 ms."""
    return re.sub(r"\.0+(?= )", "", text)
