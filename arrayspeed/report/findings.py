"""Findings as the pages read them: each with the address of the page that shows what it was decided by."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from arrayspeed.claims.findings import Finding, Judged
from arrayspeed.claims.table import Verdict
from arrayspeed.model.measures import FIRST_CALL
from arrayspeed.report.decisions import ALL

#: The page that shows first calls, and the one that shows everything else.
COMPILE, BACKENDS = "compile.html", "backends.html"


def view(finding: Finding, machine: str, verdict: Verdict) -> str:
    """Return the address of the report's page that shows what a finding was decided by."""
    cases = finding.criterion.cases
    devices = {case.device for case in cases}
    first = cases[0]
    state = {
        "machine": machine,
        "environment": verdict.found.environment if verdict.found else None,
        "kernel": first.kernel,
        "measure": first.measure,
        "dtype": first.dtype,
        "device": ALL if len(devices) > 1 else first.device,
    }
    page = BACKENDS
    if first.measure == FIRST_CALL.name:
        page = COMPILE
        del state["measure"]
    return f"{page}?{urlencode({name: value for name, value in state.items() if value is not None})}"


def as_data(every: list[Judged]) -> list[dict[str, Any]]:
    """Those that follow, as plain data: the sentence, its reason, and what each machine shows."""
    return [
        {
            "text": one.finding.text,
            "why": one.finding.why,
            "shown": [
                {"machine": name, "measured": verdict.text, "view": view(one.finding, name, verdict)}
                for name, verdict in one.verdicts.items()
            ],
        }
        for one in every
        if one.follows
    ]
