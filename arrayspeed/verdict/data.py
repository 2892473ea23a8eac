"""A verdict for programs: JSON, whose form `schema.json` describes."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from arrayspeed.formats.data import as_json as dump
from arrayspeed.formats.verdicts import decision_data
from arrayspeed.verdict.rows import Row
from arrayspeed.verdict.verdict import Verdict


def as_data(verdict: Verdict) -> dict[str, Any]:
    """Return everything that was found as plain data: every comparison with every process."""
    return {
        **verdict.labels,
        "machine": verdict.machine,
        "conclusion": verdict.headline,
        "factor": verdict.factor,
        "limit": verdict.limit,
        "sides": [
            {
                "label": side.label,
                "python": side.python,
                "packages": dict(side.packages),
                "env": dict(side.variables),
            }
            | ({"loaded": [dict(one) for one in side.loaded]} if side.loaded else {})
            for side in verdict.sides
        ],
        "comparisons": [row_data(row) for row in verdict.rows],
        "geometric_means": [
            {"of": one.title, "family": one.family, "side": one.side} | asdict(one.mean) for one in verdict.averages
        ],
        "best": [{**one.labels, "sides": list(one.sides)} for one in verdict.best or ()],
        "verdict_counts": verdict.counts,
        "notes": list(verdict.notes),
        "exit_status": verdict.status,
    }


def as_json(verdict: Verdict) -> str:
    """Return `as_data` as JSON."""
    return dump(as_data(verdict))


def row_data(row: Row) -> dict[str, Any]:
    """Return one comparison as plain data."""
    empty = dict.fromkeys(("ratio", "low", "high"))
    data = (
        decision_data(row.name, row.decision)
        if row.decision
        else {"comparison": row.name, "verdict": row.verdict, "worse": row.worse, **empty}
    )
    data |= {"verdict": row.verdict, "worse": row.worse}
    if row.observed is not None and row.negligible:
        # The ratio that was judged is that of the value below which all are alike.
        data |= empty | {"below": row.observed.floor}
    if row.lifted:
        data["ratio_is"] = row.lifted.strip()
    if row.was:
        data["accepted"] = row.was
    data |= {"bounded": row.bounded, "bound": row.most}
    data |= {**row.labels, "measure": row.quantity.name, "side": row.side}
    if row.detail:
        data["detail"] = row.detail
    if row.decision is None or row.processes is None:
        return data | {"difference": row.difference}
    reference, subject = (list(map(dict, side)) for side in row.processes)
    return data | {"noise": row.decision.noise, "reference": reference, "subject": subject}
