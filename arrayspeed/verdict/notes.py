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


def rule(reference: str, factor: float, errors: bool = False) -> str:
    """Return what the words mean; ``reference``: what ratios are to; ``errors``: whether these are among them."""
    once = FIRST_CALL.asked(factor)
    first, imported = (rounded(human_time(each.least)) for each in (FIRST_CALL, IMPORT))
    memory, kept, growth = (rounded(human_bytes(each.least)) for each in (MEMORY, KEPT, GROWTH))
    of_errors = f"; errors ×{ERRORS.asked(factor):g}" if errors else ""
    return (
        f"Ratios are to {reference}, less is better. A word is given where a ratio is shown to be beyond ×{factor:g} "
        f"or within it (first call and import ×{once:g}, and {first} and {imported}{of_errors}; memory also {memory}, "
        f"kept {kept} a call, memory growth {growth}); at most {ERROR_RATE:.0%} of such words are wrong."
    )


def rounded(text: str) -> str:
    """Return a value without digits that say nothing: 10 ms in place of 10.0 ms."""
    return re.sub(r"\.0+(?= )", "", text)
