"""How much more cores bring, for the report's page: ``scaling.json``, by machine.

Of each kernel, precision, size and backend the numbers of cores, and of each the seconds of a call and, but for the
fewest, the speed-up with its 95 % interval and the word for it: ``better`` where it is shown to be faster, ``worse``,
``same`` or ``unclear``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from arrayspeed.decide.words import ALIKE, FAILURES, FASTER, SLOWER
from arrayspeed.measure.speedups import Speedup, speedups
from arrayspeed.records import scaling
from arrayspeed.records.scaling import Case
from arrayspeed.report.files import rounded
from kernels import BACKENDS, CATALOGUE


def by_machine(results_dir: str | Path) -> dict[str, list[dict[str, Any]]]:
    """Return all of it; a machine of which nothing was measured is left out."""
    found = {}
    for path in sorted(Path(results_dir).glob(f"*/{scaling.FILE}")):
        machine = path.parent.name
        rows = [one for one in scaling.load(results_dir, machine) if is_known(one.case)]
        if cases := [case_data(case, ones) for case, ones in speedups(rows).items()]:
            found[machine] = cases
    return found


def is_known(case: Case) -> bool:
    """Return whether it is one of the catalogue."""
    return case.kernel in CATALOGUE and case.backend in BACKENDS


def case_data(case: Case, ones: list[Speedup]) -> dict[str, Any]:
    """Return one case."""
    return {
        "environment": case.environment,
        "kernel": case.kernel,
        "dtype": case.dtype,
        "backend": case.backend,
        "size": case.size,
        "cores": [number_data(one) for one in ones],
    }


def number_data(one: Speedup) -> dict[str, Any]:
    """Return one number of cores."""
    times = [rounded(value) for value in one.times] if one.times else None
    found: dict[str, Any] = {"cores": one.cores, "seconds": rounded(one.seconds), "speedup": times}
    if one.decision:
        found |= {"word": word(one.decision.verdict), "rounds": one.decision.rounds}
    return found | ({"why": one.why} if one.why else {})


def word(verdict: str) -> str:
    """Return what a verdict says of a speed-up."""
    if verdict in FAILURES:
        return "fails"
    known = {FASTER: "better", SLOWER: "worse", **dict.fromkeys(ALIKE, "same")}
    return known.get(verdict, "unclear")
