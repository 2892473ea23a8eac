"""The programs that compilers make of a function; a profile where nothing is compiled."""

from __future__ import annotations

import cProfile
import gc
import os
import pstats
import re
import sys
import sysconfig
from time import perf_counter

TYPE_CHECKING = False  # type checkers take it as true
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .measuring import Measured

#: The languages in which they are shown, by the names of `kernels.backends.watching`.
HLO, GENERATED, ASSEMBLY, PROFILE = "hlo", "generated code", "assembly", "profile"

#: Calls that are profiled, after as many that are not: what happens at first calls is no part of a call. A single one
#: of what takes more seconds than this.
CALLS, SLOW = 10, 1.0

#: How the names of files end to which XLA writes its programs.
OPTIMISED = "after_optimizations.txt"


def programs(now: Measured, folder: str, own: str) -> dict[str, str]:
    """Language -> text of all programs that the first call of a function makes.

    Parameters
    ----------
    now
        A `Measured` that was not called.
    folder
        Where XLA was told to write.
    own
        The folder of the user's file: of what Numba compiled, functions of modules there are shown.
    """
    getattr(sys.modules.get("jax"), "clear_caches", int)()  # what was compiled before would not be compiled again
    before = set(os.listdir(folder))

    found = {GENERATED: "\n".join(generated_by_torch(now.first_call))}
    written = sorted(name for name in set(os.listdir(folder)) - before if name.endswith(OPTIMISED))
    found[HLO] = "\n".join(read(os.path.join(folder, name)) for name in written)
    found[ASSEMBLY] = "\n".join(compiled_by_numba(now.function, own))
    found = {language: text for language, text in found.items() if text}
    return found or {PROFILE: profile(now.finished)}


def read(path: str) -> str:
    """Return a file's text."""
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def generated_by_torch(call: Callable[[], object]) -> list[str]:
    """Make a call; the code that Inductor generated for it."""
    if "torch" in sys.modules:
        try:
            from torch._inductor.utils import run_and_get_code
        except ImportError:  # before PyTorch 2.1, or without what compiling needs
            pass
        else:
            texts: list[str] = run_and_get_code(call)[1]
            return texts
    call()
    return []


def compiled_by_numba(function: Callable[..., Any], own: str) -> list[str]:
    """Return the instructions of a function, and of all that were compiled by now in the modules of a folder."""
    if "numba" not in sys.modules:
        return []
    found: dict[int, Any] = {id(function): function}
    for _, module in sorted(sys.modules.items()):
        path = getattr(module, "__file__", None)
        if isinstance(path, str) and path.startswith(own + os.sep) and not path.startswith(sys.prefix + os.sep):
            found.update((id(one), one) for one in list(vars(module).values()))
    compiled = (one for one in found.values() if type(one).__module__.startswith("numba."))
    return [text for one in compiled if hasattr(one, "inspect_asm") for text in one.inspect_asm().values()]


def profile(call: Callable[[], object]) -> str:
    """Return a line for each function: how often it runs in a call, its share of the time, its name."""
    started = perf_counter()
    call()
    count = CALLS if perf_counter() - started < SLOW else 1
    for _ in range(count - 1):
        call()
    gc.collect()
    gc.disable()
    seen = cProfile.Profile()
    seen.enable()
    for _ in range(count):
        call()
    seen.disable()
    calls: dict[str, int] = {}
    times: dict[str, float] = {}
    stats = pstats.Stats(seen).stats  # type: ignore[attr-defined]  # typeshed leaves it out
    for place, (_, number, own, _, _) in stats.items():
        name = name_of(*place)
        if "_lsprof" not in name and os.path.dirname(place[0]) != os.path.dirname(__file__):
            calls[name] = calls.get(name, 0) + number
            times[name] = times.get(name, 0.0) + own
    total = sum(times.values()) or 1.0
    ordered = sorted(calls, key=lambda name: (-times[name], name))
    return "\n".join(f"{calls[name] / count:g}\t{times[name] / total:.3f}\t{name}" for name in ordered)


def name_of(file: str, line: int, function: str) -> str:
    """Return a function's name without lines, addresses and the places of environments."""
    if file == "~":
        return re.sub(r" at 0x[0-9a-f]+", "", function)
    for name in ("purelib", "platlib", "", "stdlib"):
        folder = os.path.join(sysconfig.get_path(name) if name else os.getcwd(), "")
        if file.startswith(folder):
            file = file[len(folder) :]
    return f"{file}:{function}"
