"""What became of the claims, as plain data."""

from __future__ import annotations

from collections import Counter
from typing import Any

from arrayspeed.claims.comparison import Comparison
from arrayspeed.claims.evidence import Evidence
from arrayspeed.claims.table import VERDICTS, Claim, Verdict
from arrayspeed.decide.compare import Ratio
from arrayspeed.records.levels import interval


def as_data(machine: str, evidence: Evidence, judged: list[tuple[Claim, Verdict]]) -> dict[str, Any]:
    """Return the report as plain data."""
    counts = Counter(verdict.word for _, verdict in judged)
    return {
        "machine": machine,
        "counts": {word: counts[word] for word in VERDICTS},
        "articles": {
            article.number: {"title": article.title, "measured_on": article.measured_on}
            for article in dict.fromkeys(claim.article for claim, _ in judged)
        },
        "claims": [claim_data(claim, verdict, evidence) for claim, verdict in judged],
    }


def claim_data(claim: Claim, verdict: Verdict, evidence: Evidence) -> dict[str, Any]:
    """One claim and what decided it."""
    found, outcome = verdict.found, verdict.outcome
    return {
        "article": claim.article.number,
        "title": claim.article.title,
        "claim": claim.text,
        "device": claim.device,
        "reported": claim.reported,
        "rule": claim.criterion.rule.says,
        "verdict": verdict.word,
        "direction": outcome.direction if outcome else None,
        "size": outcome.size if outcome else None,
        "measured": verdict.text,
        "why": verdict.why,
        "other_ways": claim.other_ways,
        "environment": found.environment if found else None,
        "versions": evidence.versions[found.environment] if found else None,
        "size_instead": found.size if found else None,
        "comparisons": [comparison_data(comparison) for comparison in outcome.comparisons] if outcome else [],
        "measurements": [
            vars(case) | {"size": found.size or case.size, "processes": level.processes} | value_data(interval(level))
            for case, level in found.measurements.items()
        ]
        if found
        else [],
    }


def value_data(ratio: Ratio) -> dict[str, Any]:
    """Return a measurement with its 95 % interval."""
    return {"value": ratio.ratio, "low": ratio.low, "high": ratio.high}


def comparison_data(comparison: Comparison) -> dict[str, Any]:
    """One comparison: which is said to be faster, how many times it is, with the 95 % interval, and what that shows."""
    return {
        "fast": str(comparison.pair.fast),
        "slow": str(comparison.pair.slow),
        "ratio": comparison.ratio.ratio,
        "low": comparison.ratio.low,
        "high": comparison.ratio.high,
        "verdict": comparison.word,
        "size": comparison.size,
    }
