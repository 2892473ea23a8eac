"""Whether a compiled program still does the work: its operations by name, in the program as its library shows it."""

from __future__ import annotations

import re

from kernels.kernel import Kernel


def lacking(kernel: Kernel, text: str) -> list[str]:
    """Return the operations of a kernel that a program does not hold."""
    # An operation is a name before a bracket; a routine, a part of a custom call's target.
    return [
        names
        for names in kernel.operations
        if not re.search(rf"[ ]({names})[\w.-]*\(|custom_call_target=\"[^\"]*({names})", text, re.IGNORECASE)
    ]
