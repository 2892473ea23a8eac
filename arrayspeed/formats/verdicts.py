"""Decisions as people and programs read them: the formats that `decide` and `upgrade` have in common."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from arrayspeed.decide import UNCLEAR_SHARE, Decision, exit_status
from arrayspeed.decide.words import ACCEPTED, ALIKE, BROKEN, DIFFERS, FAILS, OPEN, ORDER, WORSE, lacks_bound
from arrayspeed.model.units import significant

#: Exit status -> what it means.
MEANING = {0: "nothing worse", 1: "worse", 2: "not decided"}


def style(verdict: str) -> str:
    """Return how a terminal shows a verdict."""
    if verdict in WORSE:
        return "bold red" if verdict in (DIFFERS, FAILS) else "red"
    if verdict in ALIKE:
        return ""
    return "yellow" if verdict in (*OPEN, ACCEPTED, BROKEN) else "green"


def order(decision: Decision) -> tuple[int, float]:
    """Return a key to sort by: the worst verdicts first, and the largest changes."""
    far = max(decision.ratio, 1 / decision.ratio) if decision.ratio else 1.0
    return ORDER.index(decision.verdict), -far


class Estimate(Protocol):
    """A ratio with its interval, as decisions, means and steps have them; None where nothing is known."""

    @property
    def ratio(self) -> float | None:
        """The ratio."""

    @property
    def low(self) -> float | None:
        """The lower end of its interval."""

    @property
    def high(self) -> float | None:
        """The upper end."""


def ratio_text(decision: Estimate) -> str:
    """Return the ratio with its interval, ×1.02 (1.01–1.03); "" where nothing is known."""
    if decision.ratio is None:
        return ""
    if decision.low is None or decision.high is None:
        return f"×{number(decision.ratio)}"
    return interval_text(decision.ratio, decision.low, decision.high)


def interval_text(ratio: float, low: float, high: float) -> str:
    """Return a ratio with its interval: ×1.02 (1.01–1.03), with one more digit where it is narrow or its ends read
    alike.
    """
    digits = 4 if high - low < 0.02 * ratio or number(low) == number(high) else 3
    return f"×{number(ratio, digits)} ({number(low, digits)}–{number(high, digits)})"


def number(ratio: float, digits: int = 3) -> str:
    """Return a ratio: 1.02, 0.98, 12.3, 0.00123, 1.2e+12."""
    if 0.1 <= ratio < 1:
        return f"{ratio:.{digits - 1}f}"
    return significant(ratio, digits) if 1e-4 <= ratio < 1e6 else f"{ratio:.{digits - 1}e}"


def upwards(bound: float) -> str:
    """Return a bound, rounded up to two digits after the point: 1.08; to none from 10 on."""
    scale = 100 if bound < 10 else 1
    return number(math.ceil(bound * scale - 1e-9) / scale)


def failures_text(decision: Decision) -> str:
    """Return how often each side failed: 1 of 50 against 0 of 50, subject first; "" where neither did."""
    if not decision.failed_reference and not decision.failed_subject:
        return ""
    return (
        f"{decision.failed_subject} of {decision.processes_subject} against "
        f"{decision.failed_reference} of {decision.processes_reference}"
    )


#: Page faults of a call that are worth a word: fewer take less than a call's noise.
MANY_FAULTS = 10


def faults_text(before: float | None, after: float | None) -> str:
    """Pages of memory that the system provides in a call of each side; "" where they are few or were not counted."""
    if before is None or after is None or max(before, after) < MANY_FAULTS:
        return ""
    return f"page faults a call: {before:,.0f} → {after:,.0f}"


def decision_data(name: str, decision: Decision) -> dict[str, Any]:
    """One comparison as plain data; None where something is unknown."""
    return {
        "comparison": name,
        "verdict": decision.verdict,
        "worse": decision.worse,
        "ratio": decision.ratio,
        "low": decision.low,
        "high": decision.high,
        "rounds": decision.rounds,
        "failed_reference": decision.failed_reference,
        "failed_subject": decision.failed_subject,
        "bounded": decision.bounded,
        "bound": decision.bound,
    }


def report_data(decisions: Mapping[str, Decision], unclear_share: float = UNCLEAR_SHARE) -> dict[str, Any]:
    """Return all comparisons with the counts of their verdicts and the exit status."""
    return {
        "comparisons": [decision_data(*pair) for pair in decisions.items()],
        "verdict_counts": counts(one.verdict for one in decisions.values()),
        "exit_status": exit_status(decisions.values(), unclear_share),
    }


def counts(verdicts: Iterable[str]) -> dict[str, int]:
    """Return how many there are of each verdict, the worst first."""
    found = Counter(verdicts)
    return {word: found[word] for word in sorted(found, key=ORDER.index)}


def conclusion(decisions: Sequence[Decision], unclear_share: float = UNCLEAR_SHARE) -> str:
    """Return the outcome in a sentence."""
    verdicts = [one.verdict for one in decisions]
    found = ", ".join(f"{count} {word}" for word, count in counts(verdicts).items())
    status = exit_status(decisions, unclear_share)
    unclear, compared = sum(map(lacks_bound, decisions)), sum(word != BROKEN for word in verdicts)
    why = f" ({unclear} of {compared} comparisons have no bound)" if status == 2 and unclear else ""
    return f"{MEANING[status]}{why}: {found}."


HEADINGS = (
    "comparison",
    "verdict",
    "subject/reference (95 % interval)",
    "at most",
    "rounds",
    "failed, subject against reference",
)


def cells(name: str, decision: Decision) -> tuple[str, ...]:
    """One comparison in words."""
    most = "" if decision.bound is None else f"×{upwards(decision.bound)}"
    return name, decision.verdict, ratio_text(decision), most, str(decision.rounds), failures_text(decision)


def rows_of(decisions: Mapping[str, Decision]) -> tuple[list[str], list[list[str]], list[str]]:
    """Headings, cells and styles of a table, the worst first; no column of failures where nothing failed."""
    sorted_ones = sorted(decisions.items(), key=lambda pair: order(pair[1]))
    rows = [list(cells(*pair)) for pair in sorted_ones]
    width = len(HEADINGS) if any(row[-1] for row in rows) else len(HEADINGS) - 1
    return list(HEADINGS[:width]), [row[:width] for row in rows], [style(one.verdict) for _, one in sorted_ones]
