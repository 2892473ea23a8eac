"""Whether a compiled program still does the work: its operations by name, where the library shows its program."""

from __future__ import annotations

import re

from kernels.preparation import Prepared

#: Kernel -> operations of XLA of which the compiled program must hold at least one of each row. A name may stand in a
#: custom call's target, where a library's own routine does it.
OPERATIONS = {
    "add": ("add",),
    "multiply": ("multiply",),
    "sine": ("sine|sin",),
    "elementwise": ("add", "multiply", "sine|sin"),
    "matmul": ("dot|gemm|matmul",),
    "matmul_transposed": ("dot|gemm|matmul",),
    "fft": ("fft",),
    "sort": ("sort|topk",),
    "polynomial": ("multiply", "add|subtract"),
    "gradient": ("multiply",),
    "derivative1": ("multiply",),
    "derivative2": ("multiply|add|subtract",),
    # A constant: filling an array is all that a compiler need leave of it.
    "derivative3": ("broadcast|constant",),
    "selu": ("exponential|exp|exponential-minus-one", "select"),
    "linear_regression": ("while", "dot|gemm|matmul|reduce"),
    "normal": ("xor|rng|threefry", "sqrt|log"),
    "normal_split": ("xor|rng|threefry", "sqrt|log"),
    "vmap_mapped": ("dot|gemm|matmul|reduce", "tanh"),
    "vmap_vectorised": ("dot|gemm|matmul|reduce", "tanh"),
    "vmap_loop": ("while", "tanh"),
    "convolve_devices": ("convolution|conv",),
}


def optimised(prepared: Prepared) -> str | None:
    """The program that XLA made of a compiled kernel, as text; None for other compilers and eager code."""
    if not prepared.backend.compiled:
        return None
    if prepared.backend.library == "jax":
        return prepared.function.lower(*prepared.arguments).compile().as_text()
    if prepared.backend.library == "tensorflow":
        static = prepared.kernel.static(prepared.size, prepared.dtype)
        return prepared.function.experimental_get_compiler_ir(*prepared.arguments, **static)(stage="optimized_hlo")
    return None


def lacking(kernel: str, text: str) -> list[str]:
    """The operations of a kernel that a program does not hold."""
    # An operation is a name before a bracket; a routine, a part of a custom call's target.
    return [
        names
        for names in OPERATIONS[kernel]
        if not re.search(rf"[ ]({names})[\w.-]*\(|custom_call_target=\"[^\"]*({names})", text, re.IGNORECASE)
    ]
