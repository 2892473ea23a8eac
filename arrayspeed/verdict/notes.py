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

#: What is asked of kernels on top, whose processes are ours.
BOTH_STATES = "A kernel's time that changes in one of the two states alone, with other page faults, is unclear."


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
    every = f"all but {unclear:.0%} of the comparisons" if unclear else "all comparisons"
    return (
        f"Ratios are to {reference or 'the first side'}, less is better. A change is one beyond "
        f"{what_matters(factor, errors)}; a smaller difference is negligible. Safe: nothing is worse, and {every} are "
        f"shown to stay below ×{limit:g}. At most {ERROR_RATE:.0%} of such statements are wrong, on average."
    )


def what_matters(factor: float, errors: bool = True) -> str:
    """Return what counts as a change of each measure, from the table of thresholds; ``errors``: of errors, too."""
    once = FIRST_CALL.asked(factor)
    first, imported = (rounded(human_time(each.least)) for each in (FIRST_CALL, IMPORT))
    memory, kept, growth = (rounded(human_bytes(each.least)) for each in (MEMORY, KEPT, GROWTH))
    of_errors = f"; errors ×{ERRORS.asked(factor):g}" if errors else ""
    return (
        f"×{factor:g} (first call and import ×{once:g}{of_errors}) and {first} of a first call, {imported} of an "
        f"import, {memory} of memory, {kept} kept and {growth} of growth a call"
    )


def rounded(text: str) -> str:
    """Return a value without digits that say nothing: 10 ms in place of 10.0 ms."""
    return re.sub(r"\.0+(?= )", "", text)
