"""Everything that was found of own code, as rows and sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arrayspeed.decide import UNCLEAR_SHARE, Decision, Observed, exit_status
from arrayspeed.decide.words import BROKEN, FAILS, ORDER, SAME, SOMETIMES, UNCLEAR, WORSE
from arrayspeed.formats.verdicts import MEANING, failures_text, ratio_text
from arrayspeed.own.best import best
from arrayspeed.own.measures import CARRYING, MEASURES, RESULT, Key
from arrayspeed.own.notes import notes_of
from arrayspeed.own.records import Item, Records, Size
from arrayspeed.own.script import Script
from arrayspeed.own.sides import Ready

#: What a result is that is not the same.
DIFFERS = "differs"

WORDS = (DIFFERS, *ORDER)


@dataclass(frozen=True)
class Row:
    """One comparison of a side with the first one.

    Attributes
    ----------
    function, size
        What; None for the import of the file.
    measure
        One of `arrayspeed.own.measures`.
    side
        The side's label.
    verdict
        A word of `arrayspeed.decide.words`, or ``differs``.
    decision, observed
        What it follows from; None of a result.
    detail
        Why it fails, or how results differ.
    difference
        The largest relative difference of results.
    """

    function: str | None
    size: Size
    measure: str
    side: str
    verdict: str
    decision: Decision | None = None
    observed: Observed | None = None
    detail: str = ""
    difference: float | None = None
    summaries: tuple[str, str] = ("", "")

    @property
    def worse(self) -> bool:
        """Whether it makes the exit status 1."""
        return self.verdict in WORSE or self.verdict == DIFFERS

    @property
    def name(self) -> str:
        """What it is of: ``solve(100)``."""
        if self.function is None:
            return "import"
        text = self.function.removeprefix("bench_")
        return text if self.size is None else f"{text}({self.size})"

    @property
    def title(self) -> str:
        """The measure, as people call it."""
        return MEASURES[self.measure].title if self.measure in MEASURES else self.measure

    @property
    def values(self) -> tuple[str, str]:
        """What the two sides gave, in the measure's unit."""
        if self.observed is None:
            return self.summaries
        shown = MEASURES[self.measure].shown
        found = [self.observed.middle(side) for side in (self.observed.reference, self.observed.subject)]
        old, new = ("failed" if value is None else shown(value) for value in found)
        return old, new

    @property
    def negligible(self) -> bool:
        """Whether both sides are so small that their ratio means nothing, and known well enough to say so."""
        if self.observed is None or not self.observed.lift or self.observed.within > self.observed.lift:
            return False
        found = [self.observed.middle(side) for side in (self.observed.reference, self.observed.subject)]
        known = [value for value in found if value is not None]
        return len(known) == len(found) and max(known) <= self.observed.lift

    @property
    def bound(self) -> str:
        """What the ratio is where one side is so small that the value below which all are alike stands for it."""
        if self.negligible or self.observed is None or self.decision is None or not self.decision.ratio:
            return ""
        old, new = (self.observed.middle(side) for side in (self.observed.reference, self.observed.subject))
        assert old is not None and new is not None  # or there were no ratio
        if min(old, new) >= self.observed.lift:
            return ""
        return "at least " if old < new else "at most "

    @property
    def change(self) -> str:
        """The ratio with its interval, or how results differ."""
        if self.observed is not None and self.negligible:
            return f"both below {MEASURES[self.measure].shown(self.observed.lift)}"
        if self.decision is not None:
            return self.bound + ratio_text(self.decision)
        return "" if self.difference is None else f"by {self.difference:.1e}" if self.difference else "equal"

    @property
    def remark(self) -> str:
        """How often it failed, where that is not every time, and why."""
        one = self.decision
        partly = one is not None and (
            0 < one.failed_reference < one.processes_reference or 0 < one.failed_subject < one.processes_subject
        )
        return "; ".join(filter(None, [f"failed: {failures_text(one)}" if one and partly else "", self.detail]))


@dataclass(frozen=True)
class Verdict:
    """A comparison of own code.

    Attributes
    ----------
    script, sides
        What was measured, where; the first side is the reference.
    rows
        Everything that was compared.
    notes
        What a reader must know.
    factor, unclear_share
        The ratio that somebody would act on, and the share that may stay unclear.
    best
        Function and size -> the fastest sides, where that is the question; None where it is what became worse.
    """

    script: Script
    sides: Sequence[Ready]
    rows: Sequence[Row]
    notes: Sequence[str]
    factor: float
    unclear_share: float = UNCLEAR_SHARE
    best: Mapping[Item, Sequence[str]] | None = None

    @property
    def status(self) -> int:
        """The exit status: 1 too where results differ. Where the question is which side is the fastest, only failures
        and results count, and what of the times is unclear.
        """
        rows = self.counted
        bad = [*WORSE, DIFFERS] if self.best is None else [FAILS, SOMETIMES, DIFFERS]
        if any(row.verdict in bad for row in rows):
            return 1
        words = [SAME if row.verdict in WORSE else row.verdict for row in rows]
        return exit_status(words, self.unclear_share)

    @property
    def counted(self) -> list[Row]:
        """The rows that the exit status depends on."""
        return [row for row in self.rows if self.best is None or row.measure in (*CARRYING, RESULT)]

    @property
    def counts(self) -> dict[str, int]:
        """How many rows there are of each word, the worst first."""
        found = Counter(row.verdict for row in self.rows)
        return {word: found[word] for word in sorted(found, key=WORDS.index)}

    @property
    def title(self) -> str:
        """What is compared."""
        labels = [one.label for one in self.sides]
        what = " → ".join(labels) if len(labels) == 2 else f"{labels[0]} against {', '.join(labels[1:])}"
        return f"{self.script.name}, {what}"

    @property
    def headline(self) -> str:
        """What is compared, and the outcome."""
        return f"{self.title}: {self.outcome}"

    @property
    def outcome(self) -> str:
        """The outcome in a sentence."""
        unclear = self.counts.get(UNCLEAR, 0)
        why = ""
        if self.status == 2 and unclear:
            compared = sum(row.verdict != BROKEN for row in self.counted)
            why = f" (more than {100 * self.unclear_share:.3g} % of {compared} comparisons unclear)"
        said = ", ".join(f"{count} {word}" for word, count in self.counts.items())
        best = ("decided", "something fails or differs", "not decided")
        return f"{(MEANING if self.best is None else best)[self.status]}{why}: {said}."

    @property
    def listed(self) -> list[Row]:
        """What is shown one by one: everything but what is the same; the worst first."""
        return sorted((row for row in self.rows if row.verdict != SAME or row.remark), key=order)

    @property
    def same(self) -> list[Row]:
        """The rest."""
        return [row for row in self.rows if row.verdict == SAME and not row.remark]


def order(row: Row) -> tuple[int, float]:
    """A key to sort by: the worst words first, and the largest changes."""
    ratio = row.decision.ratio if row.decision else None
    return WORDS.index(row.verdict), -max(ratio, 1 / ratio) if ratio else 0.0


def verdict(
    script: Script,
    sides: Sequence[Ready],
    records: Records,
    observed: Mapping[Key, Observed],
    decisions: Mapping[Key, Decision],
    factor: float,
    unclear_share: float,
    more: Sequence[str] = (),
    every_pair: bool = False,
) -> Verdict:
    """What the decisions and the results amount to. ``more``: further notes; ``every_pair``: which side is the
    fastest is the question, and all were compared with all.
    """
    rows = []
    for key, decision in decisions.items():
        function, size, measure, side = key
        if not isinstance(side, str):
            continue  # of two other sides, which only the best set is about
        why = reason(records, function, size, (records.sides[0], side)) if function else ""
        detail = why if decision.failed_reference or decision.failed_subject else ""
        rows.append(Row(function, size, measure, side, decision.verdict, decision, observed[key], detail))
    items = list(dict.fromkeys((function, size) for function, size, _, _ in decisions if function is not None))
    for function, size in items:
        for side in records.sides[1:]:
            rows += result_rows(records, function, size, side)
    notes = [*notes_of(script, sides, records, items, [row.measure for row in rows], factor), *more]
    fastest = best(decisions, records.sides) if every_pair else None
    return Verdict(script, sides, rows, notes, factor, unclear_share, fastest)


def reason(records: Records, function: str, size: Size, sides: Sequence[str]) -> str:
    """Why a function failed, and where."""
    found: dict[str, str] = {}
    for row in records.of(function, size, records.rounds):
        for side in sides:
            if why := row[side].why:
                found.setdefault(side, why)
    if len(found) > 1 and len(set(found.values())) == 1:
        return f"fails in {' and '.join(found)}: {next(iter(found.values()))}"
    return "; ".join(f"fails in {side}: {why}" for side, why in found.items())


def result_rows(records: Records, function: str, size: Size, side: str) -> list[Row]:
    """Whether a side returns what the first one does; nothing where that was not compared in every round."""
    rows = [result for row in records.of(function, size, records.rounds) if (result := row[side].result)]
    if not rows or any(row["same"] is None for row in rows) or by_chance(rows):
        return []
    worst = next((row for row in rows if not row["same"]), None)
    old, new = rows[0]["summary"]
    differences = [row["difference"] for row in rows if row["difference"] is not None]
    return [
        Row(
            function,
            size,
            RESULT,
            side,
            DIFFERS if worst else SAME,
            detail=worst["detail"] if worst else "",
            difference=max(differences) if differences and (not worst or worst["difference"] is not None) else None,
            summaries=(old or "", new or ""),
        )
    ]


def by_chance(rows: Sequence[Mapping[str, Any]]) -> bool:
    """Whether results differ, and those of one side differ from process to process too."""
    return any(not row["same"] for row in rows) and any(
        len({row["digests"][place] for row in rows}) > 1 for place in (0, 1)
    )
