"""Whether a compiled program still does the work: its operations by name, where the library shows its program."""

from __future__ import annotations

import re

from kernels.kernel import Kernel
from kernels.preparation import Prepared


def optimised(prepared: Prepared) -> str | None:
    """The program that XLA made of a compiled kernel, as text; None for other compilers and eager code."""
    if not prepared.backend.compiled:
        return None
    if prepared.backend.library == "jax":
        return prepared.function.lower(*prepared.arguments).compile().as_text()
    if prepared.backend.library == "tensorflow":
        given = prepared.static
        return prepared.function.experimental_get_compiler_ir(*prepared.arguments, **given)(stage="optimized_hlo")
    return None


def lacking(kernel: Kernel, text: str) -> list[str]:
    """The operations of a kernel that a program does not hold."""
    # An operation is a name before a bracket; a routine, a part of a custom call's target.
    return [
        names
        for names in kernel.operations
        if not re.search(rf"[ ]({names})[\w.-]*\(|custom_call_target=\"[^\"]*({names})", text, re.IGNORECASE)
    ]
