"""Classes of failure: what became of a process that gave no value.

Who sees the failure sets its class, and everybody else reads it. Of processes that asv ran, the exception's name is at
the beginning of the line that they end with.
"""

from __future__ import annotations

import re

NOT_AVAILABLE = "not available"
WRONG_RESULT = "wrong result"
OUT_OF_MEMORY = "out of memory"
TIMED_OUT = "timed out"
CRASHED = "crashed"
ERROR = "error"

CLASSES = (NOT_AVAILABLE, WRONG_RESULT, OUT_OF_MEMORY, TIMED_OUT, CRASHED, ERROR)

#: Exception -> its class; any other is an error.
EXCEPTIONS = {"NotAvailable": NOT_AVAILABLE, "WrongResult": WRONG_RESULT, "MemoryError": OUT_OF_MEMORY}

#: What an environment holds and cannot use: the exception is that of what is not available, but it failed.
BROKEN = "cannot be imported"


def class_of(line: str) -> str:
    """Return the class of an exception, from the line that Python ends a traceback with, ``module.Name: text``, or from
    asv's own: ``asv: skipped: Name('text')``.
    """
    named = re.match(r"(?:asv: skipped: )?(?:\w+\.)*(\w+)[:(]", line)
    found = EXCEPTIONS.get(named[1], ERROR) if named else ERROR
    return ERROR if found == NOT_AVAILABLE and BROKEN in line else found
