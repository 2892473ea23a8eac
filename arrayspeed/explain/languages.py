"""The languages in which programs are shown, and how each is normalised and counted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from arrayspeed.explain import assembly, generated, hlo, profiles
from arrayspeed.own.worker.programs import PROFILE
from kernels.backends.watching import ASSEMBLY, GENERATED, HLO

Counts = Mapping[str, float]


@dataclass(frozen=True)
class Language:
    """One language.

    Attributes
    ----------
    lines
        A program without what says nothing about its work: names, places in sources, addresses.
    counts
        What there is how often in these lines.
    title
        What the program is.
    beyond
        What may differ although the lines are the same.
    """

    lines: Callable[[str], list[str]]
    counts: Callable[[Sequence[str]], Counts]
    title: str
    beyond: str


LANGUAGES = {
    HLO: Language(
        hlo.lines,
        hlo.counts,
        "XLA's program after its optimisations (HLO)",
        "the code that XLA makes of it for the processor, and the runtime that executes it",
    ),
    GENERATED: Language(
        generated.lines,
        generated.counts,
        "the code that Inductor generates",
        "the compiler that translates it, and the library's own operations that it calls",
    ),
    ASSEMBLY: Language(
        assembly.lines, assembly.counts, "the processor's instructions", "functions of libraries that it calls"
    ),
    PROFILE: Language(
        profiles.lines,
        profiles.counts,
        "the functions that a call runs, as Python's profiler sees them",
        "what these functions do: operators and code within a function of C are not seen",
    ),
}
