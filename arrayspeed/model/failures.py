"""Classes of failure: what became of a process that gave no value.

Who sees the failure sets its class, and everybody else reads it. Of processes that asv ran, the exception's name is at
the beginning of the line that they end with.
"""

from __future__ import annotations

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
    """The class of an exception, from the line that Python ends a traceback with: ``module.Name: text``."""
    name, _, text = line.partition(":")
    found = EXCEPTIONS.get(name.rpartition(".")[2].strip(), ERROR)
    return ERROR if found == NOT_AVAILABLE and BROKEN in text else found
